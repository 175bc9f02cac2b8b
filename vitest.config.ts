import { defineConfig } from "vitest/config";

// Test workers and the processes that tests start share compiled code, wherever their DATA_DIR is.
process.env["NODE_COMPILE_CACHE"] ??= new URL("./node_modules/.cache/compiled", import.meta.url).pathname;

/** Limits protect against tests that hang; they say nothing about speed, for the machine may be busy. */
const patient = {
  setupFiles: [new URL("./test/kit/patience.ts", import.meta.url).pathname],
  expect: { poll: { timeout: 30_000 } },
};

/**
 * Tests that need a database, sockets or processes of their own live outside `unit`, which must stay quick; so do those of
 * the emulated messengers, which only change with the messengers.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...patient,
          name: "unit",
          include: ["src/**/*.test.ts", "web/**/*.test.ts", "soak/**/*.test.ts", "test/*.test.ts"],
          // One worker runs many files with the same modules: importing them for each file took two thirds of the time.
          pool: "threads",
          isolate: false,
          maxWorkers: "100%",
          testTimeout: 40_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...patient,
          name: "sandbox",
          include: ["sandbox/**/*.test.ts"],
          maxWorkers: "100%",
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...patient,
          name: "api",
          include: ["test/api/**/*.test.ts"],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          ...patient,
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // One browser, one service, one file after the other.
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...patient,
          name: "system",
          maxConcurrency: 3,
          include: ["test/system/**/*.test.ts", "test/interleavings/**/*.test.ts"],
          testTimeout: 900_000,
          hookTimeout: 120_000,
          // Each starts processes of its own, and mostly waits for them: more at a time than there are processors.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
