import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { HttpResponse } from "../../core/transport/connector.ts";
import { isFile, resumeHeaders, toOpenedFile } from "./opened-file.ts";

function answer(status: number, headers: HttpResponse["headers"]): HttpResponse {
  const stream = () => Readable.from([]);
  return { status, headers, stream, json: async () => ({}), bytes: async () => new Uint8Array() };
}

test("a download is continued only if the file is the same", () => {
  expect(resumeHeaders({ from: 100, validator: '"v1"' })).toEqual({
    range: "bytes=100-",
    "if-range": '"v1"',
  });
  expect(resumeHeaders(undefined)).toEqual({});
});

const RANGE = { "content-range": "bytes 100-199/200", "content-length": "100" };
const DATE = "Sat, 28 Nov 2026 00:00:00 GMT";

test.each<[number, HttpResponse["headers"], object]>([
  [200, { "content-length": "200", etag: '"v1"' }, { size: 200, validator: '"v1"' }],
  [200, { etag: 'W/"v1"' }, {}],
  [200, { etag: 'W/"v1"', "last-modified": DATE }, { validator: DATE }],
  [200, { etag: '"v1"', "content-encoding": "gzip" }, {}],
  [206, { ...RANGE, etag: '"v1"' }, { from: 100, size: 200, validator: '"v1"' }],
  [206, { "content-range": "bytes 100-199/*", "content-length": "100" }, { from: 100 }],
])("%d with %j", (status, headers, expected) => {
  const { stream, ...file } = toOpenedFile(answer(status, headers), {});
  stream.destroy();
  expect(file).toEqual(expected);
});

test.each([
  [200, {}, true],
  [206, RANGE, true],
  [206, {}, false],
  [206, { "content-range": "bytes */200" }, false],
  [416, { "content-range": "bytes */200" }, false],
  [304, {}, false],
])("%d with %j is a file: %s", (status, headers, expected) => {
  expect(isFile({ status, headers })).toBe(expected);
});
