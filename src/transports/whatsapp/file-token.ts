import type { FileRef } from "../../core/transport/events.ts";
import { text } from "../../platform/foreign/foreign-json.ts";

/** The library's name for the key derivation of a file. */
export type MediaType = "image" | "video" | "audio" | "ptt" | "document" | "sticker";

/** The data for opening a file later: its encrypted location, and its key. */
export interface FileToken {
  readonly type: MediaType;
  /** Base64. */
  readonly key: string;
  readonly path: string;
  readonly url: string;
}

interface Encrypted {
  readonly mediaKey?: Uint8Array | null | undefined;
  readonly directPath?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly fileLength?: unknown;
}

export function fileRefOf(
  type: MediaType,
  file: Encrypted,
  about: { readonly name: string | undefined; readonly mimeType: string | undefined },
): FileRef {
  const token: FileToken = {
    type,
    key: file.mediaKey instanceof Uint8Array ? Buffer.from(file.mediaKey).toString("base64") : "",
    path: text(file.directPath) ?? "",
    url: text(file.url) ?? "",
  };
  const size = Number(file.fileLength ?? 0);
  return {
    token: JSON.stringify(token),
    ...(about.name === undefined || about.name === "" ? {} : { name: about.name }),
    ...(about.mimeType === undefined ? {} : { mimeType: about.mimeType }),
    ...(Number.isSafeInteger(size) && size > 0 ? { size } : {}),
  };
}

/** Whether the message named the file's key and place. */
export function isOpenable({ token }: FileRef): boolean {
  const { key = "", path = "", url = "" } = parseFileToken(token) ?? {};
  return key !== "" && path + url !== "";
}

const PICTURE = "picture:";

/** The current picture of a person or a group. The tokens of other files are JSON. */
export function pictureOf(jid: string): FileRef {
  return { token: `${PICTURE}${jid}`, mimeType: "image/jpeg" };
}

/** The JID of a picture's owner; null for other files. */
export function parsePicture(token: string): string | null {
  return token.startsWith(PICTURE) ? token.slice(PICTURE.length) : null;
}

/** Null if the text is not a file token. */
export function parseFileToken(token: string): FileToken | null {
  try {
    const parsed = JSON.parse(token) as Partial<FileToken>;
    const { type, key, path, url } = parsed;
    if (type === undefined || key === undefined || path === undefined || url === undefined) return null;
    return { type, key, path, url };
  } catch {
    return null;
  }
}
