import type { HttpAnswer, OpenedFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";

type Header = string | string[] | undefined;

interface Told {
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
}

/** The file that an answer streams. Its own length counts for more than what the message told. */
export function toOpenedFile(answer: HttpAnswer, told: Told): OpenedFile {
  const { name, mimeType } = told;
  const size = lengthIn(answer.headers["content-length"]) ?? told.size;
  return {
    stream: answer.stream(),
    ...(name !== undefined && { name }),
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
  };
}

/** The bytes of a `content-length`. */
export function lengthIn(header: Header): number | undefined {
  return typeof header === "string" && /^[0-9]{1,15}$/.test(header) ? Number(header) : undefined;
}

/** A `content-type` that says something, with its parameters. */
export function typeIn(header: Header): string | undefined {
  return typeof header === "string" && header !== "application/octet-stream" ? header : undefined;
}

/** `messenger` is its name for people. */
export function noSuchFile(messenger: string, mayComeBack = false): TransportError {
  return new TransportError("GENERAL_ERROR", `${messenger} does not have the file`, {
    retry: mayComeBack ? "later" : "never",
  });
}
