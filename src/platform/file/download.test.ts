import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGuardedDispatcher } from "../network/safe-fetch.ts";
import {
  DownloadFailed,
  DownloadMismatch,
  type DownloadRequest,
  DownloadTooBig,
  downloadToDisk,
  removeOldDownloads,
} from "./download.ts";

const directory = mkdtempSync(join(tmpdir(), "download-"));
const dispatcher = createGuardedDispatcher({ allowNetworks: ["127.0.0.1/32"] });
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => answer(request, response));
let base = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await dispatcher.destroy();
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

const download = (options: Partial<DownloadRequest> = {}) =>
  downloadToDisk({ url: `${base}/photo.jpg`, dispatcher, maxBytes: 1_000_000, directory, ...options });
const content = Buffer.alloc(300_000, "abc");
const sha1 = createHash("sha1").update(content).digest("hex");

test("streams to disk with size, hash, type and name", async () => {
  answer = (_request, response) => response.setHeader("content-type", "Image/JPEG; q=1").end(content);
  const file = await download({ expected: { size: content.length, sha1: sha1.toUpperCase() } });
  expect(file).toMatchObject({ size: content.length, sha1, mimeType: "image/jpeg", name: "photo.jpg" });
  expect(readFileSync(file.path).equals(content)).toBe(true);
  await file.remove();
  expect(existsSync(file.path)).toBe(false);
});

test.each<
  [string, Partial<DownloadRequest>, (response: ServerResponse) => void, new (...args: never[]) => Error]
>([
  [
    "declared as too large",
    { maxBytes: 10 },
    (response) => response.setHeader("content-length", 300_000).end(content),
    DownloadTooBig,
  ],
  ["too large while streaming", { maxBytes: 100_000 }, (response) => response.end(content), DownloadTooBig],
  ["a different size", { expected: { size: 5 } }, (response) => response.end("abc"), DownloadMismatch],
  [
    "another hash",
    { expected: { sha1: "0".repeat(40) } },
    (response) => response.end("abc"),
    DownloadMismatch,
  ],
  ["an error status", {}, (response) => response.writeHead(404).end("gone"), DownloadFailed],
  [
    "a redirect to itself",
    {},
    (response) => response.writeHead(302, { location: "/" }).end(),
    DownloadFailed,
  ],
  [
    "a redirect to a private address",
    {},
    (response) => response.writeHead(302, { location: "http://10.0.0.1/" }).end(),
    DownloadFailed,
  ],
  [
    "a redirect to a file",
    {},
    (response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    DownloadFailed,
  ],
  [
    "a broken connection",
    {},
    (response) => void response.write("abc", () => response.destroy()),
    DownloadFailed,
  ],
  ["a slow response", { timeoutMs: 100 }, (response) => void response.write("abc"), DownloadFailed],
  ["an address with a password", { url: "http://a:b@127.0.0.1/" }, () => {}, DownloadFailed],
])("%s fails and leaves no file", async (_label, options, respond, failure) => {
  answer = (_request, response) => respond(response);
  await expect(download(options)).rejects.toThrow(failure);
  expect(readdirSync(directory)).toEqual([]);
});

test("follows redirects, and stops when aborted", async () => {
  answer = (request, response) =>
    request.url === "/end" ? response.end("abc") : response.writeHead(307, { location: "/end" }).end();
  const file = await download();
  expect([file.size, file.name]).toEqual([3, "end"]);
  await file.remove();
  const controller = new AbortController();
  answer = () => controller.abort();
  await expect(download({ signal: controller.signal })).rejects.toThrow(DownloadFailed);
});

test("removes leftovers of killed processes once no process can still be writing them", async () => {
  const left = mkdtempSync(join(tmpdir(), "left-"));
  const twoHoursAgo = Date.now() / 1000 - 7_200;
  for (const name of ["old.download", "young.download", "old.other"]) writeFileSync(join(left, name), "x");
  for (const name of ["old.download", "old.other"]) utimesSync(join(left, name), twoHoursAgo, twoHoursAgo);
  await removeOldDownloads(left, 3_600_000);
  expect(readdirSync(left).toSorted()).toEqual(["old.other", "young.download"]);
  rmSync(left, { recursive: true });
  await removeOldDownloads(left, 3_600_000);
});
