import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";

export interface MultipartBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** `size` is the exact number of bytes that `open` streams. */
export interface MultipartFile {
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  open(): Readable;
}

/**
 * A `multipart/form-data` body (RFC 7578) that is streamed and declares its exact length. Nested parameters are
 * encoded as JSON; the file is the part `part`.
 */
export function encodeMultipart(params: object, file: MultipartFile, part = "file"): MultipartBody {
  const boundary = `trunkline-${randomBytes(16).toString("hex")}`;
  const head = Buffer.from(fieldParts(params, boundary) + fileHeader(file, part, boundary));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(head.length + file.size + tail.length),
    },
    body: Readable.from(chunks(head, file, tail)),
  };
}

/** Opens the file when its turn comes; closes it if the body ends early. */
async function* chunks(head: Buffer, file: MultipartFile, tail: Buffer): AsyncGenerator<Uint8Array> {
  yield head;
  yield* file.open();
  yield tail;
}

function fieldParts(params: object, boundary: string): string {
  return Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    })
    .join("");
}

function fileHeader({ name, mimeType }: MultipartFile, part: string, boundary: string): string {
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "application/octet-stream";
  const disposition = `form-data; name="${part}"; filename="${escapeName(name)}"`;
  return `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n`;
}

/** Escapes like browsers do (HTML, "multipart/form-data encoding algorithm"). */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
