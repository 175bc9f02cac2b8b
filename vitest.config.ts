import { defineConfig } from "vitest/config";

/**
 * Tests that need a database, sockets or processes of their own live outside `unit`, which must stay quick; so do those of
 * the emulated messengers, which only change with the messengers.
 */
export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts", "test/*.test.ts"] } },
      { test: { name: "sandbox", include: ["sandbox/**/*.test.ts"] } },
      { test: { name: "api", include: ["test/api/**/*.test.ts"], testTimeout: 30_000, hookTimeout: 60_000 } },
      {
        test: {
          name: "system",
          include: ["test/system/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 60_000,
          // Each starts processes of its own, and mostly waits for them.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
