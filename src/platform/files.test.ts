import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { createFileStore, FileTooBig } from "./files.ts";
import { newId } from "./ids.ts";

const directory = mkdtempSync(join(tmpdir(), "files-"));
afterAll(() => rmSync(directory, { recursive: true }));
const store = createFileStore({ directory });

function filesOnDisk(): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

test("stores, reads whole and in part, replaces and removes", async () => {
  const id = newId();
  expect(
    await store.put(id, Readable.from([Buffer.from("hello "), Buffer.from("world")]), { maxBytes: 11 }),
  ).toEqual({
    size: 11,
    sha1: "2aae6c35c94fcfb415dbe95f408b9ce91ee846ed",
  });
  expect((await store.open(id).toArray()).join("")).toBe("hello world");
  expect((await store.open(id, { start: 6, end: 8 }).toArray()).join("")).toBe("wor");
  expect(await store.size(id)).toBe(11);
  await store.put(id, Readable.from([Buffer.from("new")]), { maxBytes: 11 });
  expect(await store.size(id)).toBe(3);
  await store.remove(id);
  await store.remove(id);
  expect(await store.size(id)).toBeUndefined();
  expect(filesOnDisk()).toEqual([]);
});

test("a file that is too big or breaks off leaves nothing", async () => {
  await expect(store.put(newId(), Readable.from([Buffer.alloc(12)]), { maxBytes: 11 })).rejects.toThrow(
    FileTooBig,
  );
  const broken = new Readable({ read() {} });
  broken.push("abc");
  setImmediate(() => broken.destroy(new Error("line dropped")));
  await expect(store.put(newId(), broken, { maxBytes: 11 })).rejects.toThrow("line dropped");
  expect(filesOnDisk()).toEqual([]);
});

test("ids cannot leave the directory", () => {
  for (const id of ["../../../etc/passwd", "", "a/b", "..", "a".repeat(65)])
    expect(() => store.path(id), id).toThrow();
});
