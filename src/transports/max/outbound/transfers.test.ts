import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { openFile } from "../inbound/files.ts";
import { linkTo } from "../testing.ts";
import { upload } from "./uploads.ts";

/** The interface's limit. */
const SIZE = 50 * 1024 * 1024;
const CHUNK = 64 * 1024;
/** The amount in transit: the buffers of both sockets are the system's, of a few megabytes. */
const AHEAD = 20 * 1024 * 1024;

/** A file server, and the arguments of an upload or a download. */
async function start(serve: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const link = linkTo(url);
  onTestFinished(async () => {
    server.close().closeAllConnections();
    link.abort();
    await link.dispose();
  });
  const signal = AbortSignal.timeout(30_000);
  const call = async () => ({ info: [{ url, fileId: 55, token: "t" }], url });
  return { call, request: link.request, mayUse: () => undefined, signal };
}

/** Chunks up to `SIZE`; `taken` counts what was read. */
function source() {
  const counted = { taken: 0 };
  function* chunks(): Generator<Buffer> {
    for (; counted.taken < SIZE; counted.taken += CHUNK) yield Buffer.alloc(CHUNK, 7);
  }
  return { counted, open: () => Readable.from(chunks(), { objectMode: false, highWaterMark: CHUNK }) };
}

/** Resolves when the number has not changed for a while. */
async function settled(number: () => number): Promise<number> {
  let last = -1;
  const isStill = (): boolean => {
    const was = last;
    last = number();
    return last > 0 && last === was;
  };
  await expect.poll(isStill, { interval: 200 }).toBe(true);
  return last;
}

test("an upload of the largest size is read only as fast as MAX takes it", async () => {
  const release = Promise.withResolvers<void>();
  let received = 0;
  const parts = await start((request, response) => {
    void release.promise.then(() => {
      request.on("data", (chunk: Buffer) => {
        received += chunk.length;
      });
      request.on("end", () => response.end("{}"));
    });
  });
  const { counted, open } = source();
  const about = { url: "https://files.example/x", urlIsPublic: true, urlMimeType: "application/pdf" };
  const file = { ...about, mimeType: "application/pdf", kind: "document", name: "x.pdf" } as const;
  const uploading = upload(parts, { ...file, size: SIZE, open });
  expect(await settled(() => counted.taken)).toBeLessThan(AHEAD);
  release.resolve();
  expect(await uploading).toMatchObject({ attachment: { _type: "FILE" } });
  expect(received).toBe(SIZE);
});

test.each([
  [400, "never"],
  [403, "never"],
  [413, "never"],
  [408, "later"],
  [425, "later"],
  [429, "later"],
  [503, "later"],
])("an upload with the response %d is repeated: %s", async (status, retry) => {
  const parts = await start((request, response) => {
    request.resume().on("end", () => response.writeHead(status).end());
  });
  const about = { url: "https://files.example/x", urlIsPublic: true, urlMimeType: "application/pdf" };
  const file = { ...about, mimeType: "application/pdf", kind: "document", name: "x.pdf" } as const;
  const open = () => Readable.from([Buffer.alloc(3)], { objectMode: false });
  await expect(upload(parts, { ...file, size: 3, open })).rejects.toMatchObject({ retry });
});

test("a download of the largest size is fetched only as fast as it is read", async () => {
  const { counted, open } = source();
  const parts = await start((_, response) => {
    response.writeHead(200, { "content-length": SIZE });
    open().pipe(response);
  });
  const token = JSON.stringify({ kind: "file", chatId: "1", messageId: "2", id: "55" });
  const { stream } = await openFile(parts, { token });
  expect(await settled(() => counted.taken)).toBeLessThan(AHEAD);
  let received = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) received += chunk.length;
  expect(received).toBe(SIZE);
});
