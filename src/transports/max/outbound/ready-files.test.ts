import { expect, test } from "vitest";
import { ReadyFiles } from "./ready-files.ts";

const LONG_MS = 60_000;
const never = new AbortController().signal;
const report = (id: string) => ({ fileId: id });

test("a report ends the wait for its file, before and during it", async () => {
  const files = new ReadyFiles();
  files.take(report("1"));
  await files.wait("1", LONG_MS, never);
  const waiting = files.wait("2", LONG_MS, never);
  files.take(report("2"));
  await waiting;
});

test.each([
  ["before the wait", (files: ReadyFiles) => files.take(report("1"))],
  ["during the wait", (files: ReadyFiles) => setImmediate(() => files.take(report("1")))],
])("a report %s ends one wait only: MAX is not asked without pauses", async (_, tell) => {
  const files = new ReadyFiles();
  tell(files);
  await files.wait("1", LONG_MS, never);
  const began = performance.now();
  await files.wait("1", 20, never);
  expect(performance.now() - began).toBeGreaterThan(15);
});

test("a wait can be aborted", async () => {
  const over = new AbortController();
  const waiting = new ReadyFiles().wait("1", LONG_MS, over.signal);
  over.abort();
  await expect(waiting).rejects.toThrow();
});
