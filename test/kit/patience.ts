import { vi } from "vitest";

/**
 * The default time limit of tests that wait for something: long enough for a busy machine. It ends a test that hangs and
 * says nothing about speed. Vitest's own second fails wherever something else runs beside the tests.
 */
const PATIENCE_MS = 30_000;
const PATIENT = Symbol.for("trunkline.test.patient");

type Wait = typeof vi.waitUntil;

/** The wait with the limit above; a failure names the place that waited. */
function patient(wait: Wait): Wait {
  return async (callback, options) => {
    const place = new Error();
    try {
      return await wait(callback, {
        timeout: PATIENCE_MS,
        ...(typeof options === "number" ? { timeout: options } : options),
      });
    } catch (error) {
      if (error instanceof Error) error.stack = `${error.name}: ${error.message}\n${framesOf(place)}`;
      throw error;
    }
  };
}

/** Without the frame of `patient` itself. */
function framesOf({ stack = "" }: Error): string {
  return stack.split("\n").slice(2).join("\n");
}

// The files of a worker may share `vi`.
if (!(PATIENT in vi)) {
  vi.waitFor = patient(vi.waitFor as Wait) as typeof vi.waitFor;
  vi.waitUntil = patient(vi.waitUntil);
  Object.defineProperty(vi, PATIENT, { value: true });
}
