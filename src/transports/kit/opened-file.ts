import type { FileResume, HttpResponse, OpenedFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";

type Header = string | string[] | undefined;

interface FileMetadata {
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
}

/**
 * Headers of a request that continues a download (RFC 9110, sections 13.1.5 and 14.2): if the file has changed, the
 * server sends the whole file.
 */
export function resumeHeaders(resume: FileResume | undefined): Record<string, string> {
  return resume === undefined ? {} : { range: `bytes=${resume.from}-`, "if-range": resume.validator };
}

/** Whether the response is a file, or the rest of one that `resumeHeaders` asked for. */
export function isFile({ status, headers }: Pick<HttpResponse, "status" | "headers">): boolean {
  return status === 200 || (status === 206 && rangeIn(headers["content-range"]) !== undefined);
}

/**
 * Wraps a response as an opened file, see `isFile`. The response's own length takes precedence over the one in the
 * message.
 */
export function toOpenedFile(answer: HttpResponse, metadata: FileMetadata): OpenedFile {
  const { name, mimeType } = metadata;
  const { headers } = answer;
  const { from, size = metadata.size } = (answer.status === 206
    ? rangeIn(headers["content-range"])
    : undefined) ?? { from: undefined, size: lengthIn(headers["content-length"]) };
  const validator = validatorIn(headers);
  return {
    stream: answer.stream(),
    ...(from !== undefined && { from }),
    ...(validator !== undefined && { validator }),
    ...(name !== undefined && { name }),
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
  };
}

/** `bytes 100-199/200`, or with `*` instead of an unknown size. */
function rangeIn(header: Header): { readonly from: number; readonly size: number | undefined } | undefined {
  const [, from, size] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(String(header ?? "")) ?? [];
  if (from === undefined) return undefined;
  return { from: Number(from), size: size === "*" ? undefined : Number(size) };
}

/** A strong entity tag, or the date of the last change; undefined if the response cannot be continued. */
function validatorIn(headers: HttpResponse["headers"]): string | undefined {
  const { etag, "last-modified": modified, "content-encoding": coding = "identity" } = headers;
  if (coding !== "identity") return undefined;
  if (typeof etag === "string" && /^"[^"]{1,200}"$/.test(etag)) return etag;
  return typeof modified === "string" && modified.length < 50 ? modified : undefined;
}

/** The value of a `content-length` header in bytes; undefined if it is absent or invalid. */
export function lengthIn(header: Header): number | undefined {
  return typeof header === "string" && /^[0-9]{1,15}$/.test(header) ? Number(header) : undefined;
}

/** A `content-type` header with its parameters; undefined if it is absent or only says `application/octet-stream`. */
export function typeIn(header: Header): string | undefined {
  return typeof header === "string" && header !== "application/octet-stream" ? header : undefined;
}

/** `messenger` is its display name. */
export function noSuchFile(messenger: string, mayComeBack = false): TransportError {
  return new TransportError("GENERAL_ERROR", `${messenger} does not have the file`, {
    retry: mayComeBack ? "later" : "never",
  });
}
