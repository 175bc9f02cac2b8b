import { fields, text } from "../../../platform/foreign/foreign-json.ts";
import { parsed } from "../../kit/json.ts";

/** The data for opening a file later. URLs expire; then the URL is requested again, by message or by file id. */
export interface FileToken {
  readonly kind: "picture" | "photo" | "animation" | "audio" | "sticker" | "video" | "file";
  /** The URL at the time of the message. */
  readonly url?: string | undefined;
  /** The id of the file within its kind. */
  readonly id?: string | undefined;
  readonly chatId?: string | undefined;
  readonly messageId?: string | undefined;
}

const KINDS: ReadonlySet<string | undefined> = new Set<FileToken["kind"]>([
  "picture",
  "photo",
  "animation",
  "audio",
  "sticker",
  "video",
  "file",
]);
const stored = fields({ kind: text, url: text, id: text, chatId: text, messageId: text });

export function fileToken(token: FileToken): string {
  return JSON.stringify(token);
}

/** Null if the text is not a file token. */
export function parseFileToken(token: string): FileToken | null {
  const read = stored(parsed(token));
  return read !== undefined && KINDS.has(read.kind) ? (read as FileToken) : null;
}
