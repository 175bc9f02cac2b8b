import { vi } from "vitest";

/**
 * How long tests wait for what they expect, where they do not say otherwise: long enough for a busy machine. It ends a
 * test that hangs and says nothing about speed. Vitest's own second fails wherever something else runs beside the tests.
 */
const PATIENCE_MS = 30_000;

type Options = Parameters<typeof vi.waitUntil>[1];
const patient = (options: Options): Options => ({
  timeout: PATIENCE_MS,
  ...(typeof options === "number" ? { timeout: options } : options),
});

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
