import { fields, text } from "../../platform/foreign-json.ts";
import { parsed } from "../kit/json.ts";

/** All that finds a file later. Addresses end: then the message is asked for once more, or the file's own. */
export interface FileToken {
  readonly kind: "picture" | "photo" | "audio" | "sticker" | "video" | "file";
  /** Where it lay when the message came. */
  readonly url?: string | undefined;
  /** Of the file, within its kind. */
  readonly id?: string | undefined;
  readonly chatId?: string | undefined;
  readonly messageId?: string | undefined;
}

const KINDS: ReadonlySet<string | undefined> = new Set<FileToken["kind"]>([
  "picture",
  "photo",
  "audio",
  "sticker",
  "video",
  "file",
]);
const stored = fields({ kind: text, url: text, id: text, chatId: text, messageId: text });

export function fileToken(token: FileToken): string {
  return JSON.stringify(token);
}

/** Null for what is no token of ours. */
export function parseFileToken(token: string): FileToken | null {
  const read = stored(parsed(token));
  return read !== undefined && KINDS.has(read.kind) ? (read as FileToken) : null;
}
