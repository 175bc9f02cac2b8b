import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openCompileCache } from "./compile-cache.ts";

const MAIN = join(import.meta.dirname, "main.ts");
const root = mkdtempSync(join(tmpdir(), "compile-cache-"));
afterAll(() => rmSync(root, { recursive: true }));

let made = 0;
function makeDataDir(mode = 0o711): string {
  const directory = join(root, String(made++));
  makeDirectory(directory, mode);
  return directory;
}

/** Sets exactly this mode, regardless of the umask. */
function makeDirectory(path: string, mode: number): void {
  mkdirSync(path);
  chmodSync(path, mode);
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("the cache is in DATA_DIR, with access for its owner only", () => {
  const dataDir = makeDataDir();
  const directory = openCompileCache(dataDir, { create: false });
  expect(directory).toBe(join(dataDir, "compile-cache"));
  expect(modeOf(join(dataDir, "compile-cache"))).toBe(0o700);
  expect(openCompileCache(dataDir, { create: false })).toBe(directory);
});

test("only the start command creates DATA_DIR", () => {
  const dataDir = join(root, "absent");
  expect(openCompileCache(dataDir, { create: false })).toBeUndefined();
  expect(existsSync(dataDir)).toBe(false);
  expect(openCompileCache(dataDir, { create: true })).toBe(join(dataDir, "compile-cache"));
  expect(modeOf(dataDir)).toBe(0o711);
});

test.each<[string, (dataDir: string, cache: string) => void]>([
  ["a world-writable DATA_DIR", (dataDir) => chmodSync(dataDir, 0o777)],
  ["a group-writable DATA_DIR", (dataDir) => chmodSync(dataDir, 0o770)],
  ["a world-writable cache", (_, cache) => makeDirectory(cache, 0o777)],
  ["a world-readable cache", (_, cache) => makeDirectory(cache, 0o755)],
  ["a symbolic link", (_, cache) => symlinkSync(makeDataDir(0o700), cache)],
  ["a file with its name", (_, cache) => writeFileSync(cache, "")],
])("is not used with %s", (_, spoil) => {
  const dataDir = makeDataDir();
  spoil(dataDir, join(dataDir, "compile-cache"));
  expect(openCompileCache(dataDir, { create: true })).toBeUndefined();
});

test.runIf(process.getuid?.() === 0)("is not used in a directory of another user", () => {
  const [theirs, ours] = [makeDataDir(), makeDataDir()];
  chownSync(theirs, 65534, 65534);
  mkdirSync(join(ours, "compile-cache"), { mode: 0o700 });
  chownSync(join(ours, "compile-cache"), 65534, 65534);
  expect(openCompileCache(theirs, { create: true })).toBeUndefined();
  expect(openCompileCache(ours, { create: true })).toBeUndefined();
});

test.each(["the environment", ".env"])(
  "the cache is in the DATA_DIR of %s, not in the shared directory",
  (place) => {
    const [cwd, shared, dataDir] = [makeDataDir(), makeDataDir(), makeDataDir()];
    if (place === ".env") writeFileSync(join(cwd, ".env"), `DATA_DIR=${dataDir}\n`);
    const settings = place === ".env" ? {} : { DATA_DIR: dataDir };
    execFileSync(process.execPath, [MAIN, "--help"], {
      cwd,
      env: { PATH: process.env["PATH"], TMPDIR: shared, ...settings },
    });
    expect(readdirSync(shared)).toEqual([]);
    expect(readdirSync(join(dataDir, "compile-cache"))).toHaveLength(1);
  },
);
