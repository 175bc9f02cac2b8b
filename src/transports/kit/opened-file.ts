import type { HttpResponse, OpenedFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";

type Header = string | string[] | undefined;

interface FileMetadata {
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
}

/** Wraps a response as an opened file. The response's own length takes precedence over the one in the message. */
export function toOpenedFile(answer: HttpResponse, metadata: FileMetadata): OpenedFile {
  const { name, mimeType } = metadata;
  const size = lengthIn(answer.headers["content-length"]) ?? metadata.size;
  return {
    stream: answer.stream(),
    ...(name !== undefined && { name }),
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
  };
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
