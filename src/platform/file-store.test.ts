import { createHash } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { STORES, type TestStore } from "../../test/kit/file-stores.ts";
import type { S3Server } from "../../test/kit/s3.ts";
import { createFileStore, type FileStore, FilesUnavailable, FileTooBig } from "./file/files.ts";
import { MIN_PART_BYTES, StagedUploadLost } from "./file/staged-upload.ts";
import { newId } from "./ids.ts";
import { createS3Store } from "./s3/store.ts";

const streamOf = (...chunks: string[]): Readable => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
const textOf = async (
  store: FileStore,
  id: string,
  range?: { start: number; end: number },
): Promise<string> => Buffer.concat(await store.open(id, range).toArray()).toString();

test("a disk without a directory for the file closes the source", async () => {
  const store = createFileStore({ directory: import.meta.filename });
  const source = streamOf("never read");
  await expect(store.put(newId(), source, { maxBytes: 100 })).rejects.toMatchObject({ code: "ENOTDIR" });
  expect(source.destroyed).toBe(true);
});

describe.each(["disk", "S3"] as const)("files on %s", (kind) => {
  let under: TestStore;
  let store: FileStore;
  beforeAll(async () => {
    under = await STORES[kind]();
    store = under.store;
  });
  afterAll(() => under.stop());

  test("are stored, read whole and in part, replaced and removed", async () => {
    const id = newId();
    const stored = await store.put(id, streamOf("hello ", "world"), { maxBytes: 11 });
    expect(stored).toEqual({ size: 11, sha1: "2aae6c35c94fcfb415dbe95f408b9ce91ee846ed" });
    expect(await textOf(store, id)).toBe("hello world");
    expect(await textOf(store, id, { start: 6, end: 8 })).toBe("wor");
    expect(await store.size(id)).toBe(11);
    await store.put(id, streamOf("new"), { maxBytes: 11 });
    expect([await store.size(id), await textOf(store, id)]).toEqual([3, "new"]);
    await store.remove(id);
    await store.remove(id);
    expect(await store.size(id)).toBeUndefined();
    await expect(textOf(store, id)).rejects.toMatchObject({ code: "ENOENT" });
    expect(under.everything()).toEqual([]);
  });

  test("may be empty", async () => {
    const id = newId();
    expect((await store.put(id, streamOf(), { maxBytes: 1 })).size).toBe(0);
    expect([await store.size(id), await textOf(store, id)]).toEqual([0, ""]);
    await store.remove(id);
  });

  test("of unknown size and many megabytes are stored completely", async () => {
    const id = newId();
    const chunk = Buffer.from("0123456789abcdef".repeat(4_096));
    const chunks = Array.from({ length: 180 }, () => chunk);
    const stored = await store.put(id, Readable.from(chunks), { maxBytes: 100_000_000 });
    const size = 180 * chunk.length;
    const sha1 = createHash("sha1").update(Buffer.concat(chunks)).digest("hex");
    expect(stored).toEqual({ size, sha1 });
    expect(await store.size(id)).toBe(size);
    expect(await textOf(store, id, { start: 2 * MIN_PART_BYTES - 2, end: 2 * MIN_PART_BYTES + 1 })).toBe(
      "ef01",
    );
    expect(
      createHash("sha1")
        .update(await textOf(store, id))
        .digest("hex"),
    ).toBe(sha1);
    await store.remove(id);
    expect(under.everything()).toEqual([]);
  });

  test.each([10, MIN_PART_BYTES + 10])(
    "that are too large or end early after %i bytes leave nothing",
    async (size) => {
      const put = (stream: Readable, maxBytes: number) => store.put(newId(), stream, { maxBytes });
      const bytes = (): Buffer => Buffer.alloc(size);
      await expect(put(Readable.from([bytes(), bytes()]), size)).rejects.toThrow(FileTooBig);
      const broken = new Readable({ read() {} });
      broken.push(bytes());
      setImmediate(() => broken.destroy(new Error("line dropped")));
      await expect(put(broken, 100_000_000)).rejects.toThrow("line dropped");
      expect(under.everything()).toEqual([]);
    },
  );

  test("must have plain names as ids", async () => {
    for (const id of ["../../../etc/passwd", "", "a/b", "..", "a".repeat(65)])
      await expect(async () => store.remove(id), id).rejects.toThrow("is not the id");
  });

  test("are read only as far as they are consumed", async () => {
    const id = newId();
    await store.put(id, Readable.from([Buffer.alloc(8_000_000)]), { maxBytes: 10_000_000 });
    const stream = store.open(id);
    for await (const chunk of stream) if ((chunk as Buffer).length > 0) break;
    expect(stream.destroyed).toBe(true);
    await store.remove(id);
  });

  describe("as drafts", () => {
    const first = Buffer.alloc(MIN_PART_BYTES, "1");
    const piece = (writer: number, bytes: Buffer | string) => ({ writer, bytes: [Buffer.from(bytes)] });

    test("become visible when completed, and completing is idempotent", async () => {
      const id = newId();
      const begun = await store.append(id, null, piece(1, first));
      const draft = await store.append(id, JSON.parse(JSON.stringify(begun)), piece(1, "end"));
      expect(draft).toMatchObject({ bytes: first.length + 3, writer: 1 });
      expect(await store.size(id)).toBeUndefined();
      await store.complete(id, draft);
      await store.complete(id, draft);
      expect(await store.size(id)).toBe(draft.bytes);
      expect(await textOf(store, id, { start: first.length - 1, end: draft.bytes - 1 })).toBe("1end");
      await store.remove(id);
      expect(under.everything()).toEqual([]);
    });

    test("ignore data from writers presumed dead", async () => {
      const id = newId();
      const shared = await store.append(id, null, piece(1, first));
      await store.append(id, shared, piece(1, "an attempt that nobody remembers"));
      const second = await store.append(id, shared, piece(2, "two"));
      await store.append(id, shared, piece(1, "a late one"));
      const third = await store.append(id, shared, piece(3, "three"));
      await store.append(id, shared, piece(2, "a late one"));
      expect(second.bytes).toBe(first.length + 3);
      await store.complete(id, third);
      expect(await textOf(store, id, { start: first.length, end: 100_000_000 })).toBe("three");
      expect(await store.size(id)).toBe(third.bytes);
      await store.remove(id);
      expect(under.everything()).toEqual([]);
    });

    test("may be continued in place by a writer that takes over, and be discarded", async () => {
      const [id, other] = [newId(), newId()];
      const first = await store.append(id, null, { writer: 1, bytes: [Buffer.alloc(MIN_PART_BYTES, "a")] });
      const second = await store.append(id, first, { writer: 4, bytes: [Buffer.from("b")], takesOver: true });
      const lost = await store.append(other, null, { writer: 2, bytes: [Buffer.from("c")] });
      expect(under.everything()).toHaveLength(2);
      await store.discard(other, lost);
      await store.discard(other, lost);
      expect(under.everything()).toHaveLength(1);
      await store.complete(id, second);
      expect([under.everything(), await store.size(id)]).toEqual([[id], MIN_PART_BYTES + 1]);
      await store.remove(id);
    });

    test("report lost data", async () => {
      const id = newId();
      const draft = await store.append(id, null, piece(1, first));
      under.loseDrafts();
      await expect(store.append(id, draft, piece(1, "end"))).rejects.toThrow(StagedUploadLost);
      await expect(store.append(id, draft, piece(2, "end"))).rejects.toThrow(StagedUploadLost);
      await expect(store.complete(id, draft)).rejects.toThrow(StagedUploadLost);
    });
  });
});

test("a writer that takes over removes what earlier ones have left", async () => {
  const under = await STORES.disk();
  onTestFinished(() => under.stop());
  const id = newId();
  let draft = await under.store.append(id, null, { writer: 1, bytes: [Buffer.from("a")] });
  for (const writer of [2, 3, 4, 5])
    draft = await under.store.append(id, draft, { writer, bytes: [Buffer.from("b")] });
  expect(under.everything()).toHaveLength(2);
  await under.store.complete(id, draft);
  expect(under.everything()).toEqual([id]);
});

test("leftovers of a killed process are removed when the file is stored", async () => {
  const under = await STORES.disk();
  const id = newId();
  await under.store.append(id, null, { writer: 1, bytes: [Buffer.from("unfinished")] });
  expect(under.everything()).toHaveLength(1);
  await under.store.put(id, streamOf("done"), { maxBytes: 10 });
  expect(under.everything()).toEqual([id]);
  await under.stop();
});

test("leftovers of a killed process are removed with the file", async () => {
  const under = await STORES.disk();
  const id = newId();
  await under.store.append(id, null, { writer: 1, bytes: [Buffer.from("unfinished")] });
  await under.store.remove(id);
  expect(under.everything()).toEqual([]);
  await under.stop();
});

describe("the S3 store", () => {
  let s3: S3Server;
  let under: TestStore;
  beforeAll(async () => {
    under = await STORES.S3();
    if (under.s3 === null) throw new Error("there is no S3 server");
    s3 = under.s3;
  });
  afterAll(() => under.stop());

  test.each(["drop", { status: 500, code: "InternalError" }, { status: 503, code: "SlowDown" }] as const)(
    "is called again after %j",
    async (fault) => {
      const id = newId();
      const seen = new Set<string>();
      s3.intercept = (request) => {
        if (seen.has(request)) return null;
        seen.add(request);
        return fault;
      };
      await under.store.put(id, streamOf("kept"), { maxBytes: 10 });
      expect(await textOf(under.store, id)).toBe("kept");
      await under.store.remove(id);
      s3.intercept = () => null;
      expect(under.everything()).toEqual([]);
    },
  );

  test("removes a missing object, even if the store reports that it is missing", async () => {
    s3.intercept = () => ({ status: 404, code: "NoSuchKey" });
    await under.store.remove(newId());
    s3.intercept = () => ({ status: 404, code: "NoSuchBucket" });
    await expect(under.store.remove(newId())).rejects.toMatchObject({ code: "NoSuchBucket" });
    s3.intercept = () => null;
  });

  test("serves other calls while many readers are slow", async () => {
    const [large, small] = [newId(), newId()];
    const bytes = Buffer.alloc(16 * 1024 * 1024);
    await under.store.put(large, Readable.from([bytes]), { maxBytes: bytes.length });
    const readers = Array.from({ length: 40 }, () => under.store.open(large));
    await Promise.all(readers.slice(0, 32).map((reader) => once(reader, "readable")));
    await under.store.put(small, streamOf("kept"), { maxBytes: 10 });
    expect(await textOf(under.store, small)).toBe("kept");
    for (const reader of readers) reader.destroy();
    for (const id of [large, small]) await under.store.remove(id);
  });

  test("is asked four times when it is overloaded, and reported as unavailable", async () => {
    s3.intercept = () => ({ status: 503, code: "SlowDown" });
    const before = s3.requests.length;
    const failure = await under.store.size(newId()).catch((error: unknown) => error);
    s3.intercept = () => null;
    expect(failure).toBeInstanceOf(FilesUnavailable);
    expect(s3.requests.length).toBe(before + 4);
  });

  test("is reported as unavailable when it cannot be reached", async () => {
    const away = createS3Store({ ...s3, prefix: "", endpoint: "http://127.0.0.1:9" });
    await expect(away.size(newId())).rejects.toBeInstanceOf(FilesUnavailable);
    await away.close();
  });

  test("is not called again after a refusal, which is reported without the key", async () => {
    const wrong = createS3Store({ ...s3, prefix: "", secretAccessKey: "not the one" });
    const before = s3.requests.length;
    const failure = await wrong.put(newId(), streamOf("x"), { maxBytes: 1 }).catch((error: unknown) => error);
    expect(String(failure)).toBe(
      "S3Error: PUT: the S3 store responded with 403 SignatureDoesNotMatch refused",
    );
    expect(s3.requests.length).toBe(before + 1);
    await wrong.close();
  });
});
