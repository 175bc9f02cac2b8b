import { number, text } from "./admin.ts";
import type { FileSource, StoredConversation, StoredMessage } from "./phone.ts";

/** A message with default fields; `more` overrides them. */
export function message(
  base: Pick<StoredMessage, "id" | "mine" | "at" | "look"> & Partial<StoredMessage>,
): StoredMessage {
  return {
    author: "",
    kind: base.look,
    text: "",
    files: [],
    buttons: [],
    reactions: [],
    edited: false,
    deleted: false,
    state: null,
    ...base,
  };
}

export function conversation(
  messages: readonly StoredMessage[],
  more: Partial<StoredConversation> = {},
): StoredConversation {
  return { messages, keyboard: [], blocked: false, unstarted: false, ...more };
}

const TYPES: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  mp4: "video/mp4",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  m4a: "audio/mp4",
  pdf: "application/pdf",
};

/** A file at an address, from which its name and, if the messenger does not report it, its type are derived. */
export function fileAt(url: string, known: Partial<FileSource> = {}): FileSource {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  const name = known.name ?? decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return {
    mime: known.mime ?? TYPES[ending] ?? "application/octet-stream",
    name,
    size: known.size ?? null,
    source: { url },
  };
}

/** A file returned by the admin API. */
export function fileOf(route: string, known: Partial<FileSource>): FileSource {
  return {
    mime: known.mime ?? "application/octet-stream",
    name: known.name ?? "file",
    size: known.size ?? null,
    source: { route },
  };
}

export function placeAt(
  latitude: unknown,
  longitude: unknown,
  title: unknown,
): NonNullable<StoredMessage["place"]> {
  return { latitude: number(latitude), longitude: number(longitude), title: text(title) };
}

/** The name and the number in a vCard. */
export function readVcard(vcard: string): { readonly name: string; readonly phone: string } {
  const line = (name: string) => new RegExp(`^${name}[^:\r\n]*:(.*)$`, "im").exec(vcard)?.[1]?.trim() ?? "";
  return { name: line("FN"), phone: line("TEL") };
}
