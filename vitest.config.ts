import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Test workers and the processes that tests start share compiled code, wherever their DATA_DIR is.
process.env["NODE_COMPILE_CACHE"] ??= new URL("./node_modules/.cache/compiled", import.meta.url).pathname;

/** Limits protect against tests that hang; they say nothing about speed, for the machine may be busy. */
const patient = {
  setupFiles: [new URL("./test/kit/patience.ts", import.meta.url).pathname],
  expect: { poll: { timeout: 30_000 } },
};

/** All projects but `unit` share these workers. Tests of processes mostly wait: more at a time than there are processors. */
const together = { maxWorkers: Math.max(4, availableParallelism()), sequence: { groupOrder: 1 } };

/** Transports against the emulators of their messengers. */
const WITH_EMULATOR = "src/transports/**/*.e2e.test.ts";

/** Starts with the files that take long and mostly wait, so that many short ones fill up the end. */
class LongFirst extends BaseSequencer {
  static readonly #order = ["unit", "system", "browser", "api", "sandbox"];

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification): number => LongFirst.#order.indexOf(project.name);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/**
 * Tests that need a database, sockets or processes of their own live outside `unit`, which must stay quick. `sandbox` has
 * those of the emulators and of the transports against them.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          ...patient,
          name: "unit",
          include: ["{src,web,soak}/**/*.test.ts", "test/*.test.ts"],
          exclude: [WITH_EMULATOR],
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
          ...together,
          setupFiles: [
            ...patient.setupFiles,
            new URL("./sandbox/whatsapp/strict-client.ts", import.meta.url).pathname,
          ],
          name: "sandbox",
          include: ["sandbox/**/*.test.ts", WITH_EMULATOR],
          // As in `unit`: importing the modules for each file took 40 % of the processor time.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...patient,
          ...together,
          name: "api",
          include: ["test/api/**/*.test.ts"],
          // The files of a worker share its modules and its PostgreSQL, each with databases of its own.
          isolate: false,
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...patient,
          ...together,
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["test/browser/kit/prepare.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          ...patient,
          ...together,
          name: "system",
          maxConcurrency: 3,
          include: ["test/system/**/*.test.ts", "test/interleavings/**/*.test.ts"],
          // As in `api`: the files of a worker share its PostgreSQL, which takes seconds to make for each file.
          isolate: false,
          testTimeout: 900_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
