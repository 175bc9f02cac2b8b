import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadSnapshot, Snapshot } from "./snapshot.ts";

test("a state that cannot be saved is saved once that is possible, and says both once", async () => {
  const directory = await mkdtemp(join(tmpdir(), "snapshot-test-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  vi.useFakeTimers();
  const told = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => {
    vi.useRealTimers();
    told.mockRestore();
  });
  const path = join(directory, "state.json");
  const state = { changes: 0 };
  const snapshot = new Snapshot(path, () => state);
  const change = (): void => {
    state.changes++;
    snapshot.touch();
  };

  // Nothing can take its place.
  await mkdir(path);
  change();
  vi.advanceTimersByTime(1_000);
  change();
  vi.advanceTimersByTime(30_000);
  expect(told.mock.calls).toEqual([
    [expect.stringMatching(/^sandbox: \S+state\.json cannot be saved, .+: E/)],
  ]);
  await rm(path, { recursive: true });
  vi.advanceTimersByTime(10_000);
  expect(loadSnapshot(path)).toEqual({ changes: 2 });
  expect(told.mock.calls.slice(1)).toEqual([[`sandbox: ${path} is saved again`]]);

  change();
  snapshot.end();
  expect(loadSnapshot(path)).toEqual({ changes: 3 });
  expect(told).toHaveBeenCalledTimes(2);
});
