import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeDirectory } from "./make-directory.ts";

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "make-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

test("creates all that is missing, and accepts what exists", () => {
  const path = join(newDirectory(), "a/b/c");
  makeDirectory(path, 0o700);
  makeDirectory(path, 0o700);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test("names a file that is in the way", () => {
  const file = join(newDirectory(), "file");
  writeFileSync(file, "");
  expect(() => makeDirectory(file, 0o700)).toThrow("EEXIST");
  expect(() => makeDirectory(join(file, "a/b"), 0o700)).toThrow("ENOTDIR");
});

test.runIf(existsSync("/proc/self"))("ends where no directory can be created", () => {
  expect(() => makeDirectory("/proc/nothing/below", 0o700)).toThrow("ENOENT");
});
