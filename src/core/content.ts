import type { MediaKind } from "./transport/definition.ts";
import type { MessageBody } from "./transport/events.ts";
import type { Keyboard } from "./transport/keyboard.ts";
import type { MessageExtras, MessageInputs, MessageStatus, MessageType } from "./transport/message.ts";

/** The interface's limit on files, whatever the messenger allows. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;

export interface Attachment {
  readonly url: string;
  readonly name?: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
  /** Hex. */
  readonly sha1?: string;
  /** Sent as a voice note where the messenger has them. */
  readonly voice?: boolean;
  /** One of our own stored files behind the `url`, which is not fetched. */
  readonly fileId?: string;
}

/** What `messages.content` holds for an outgoing message, besides its text. */
export interface OutgoingContent {
  /**
   * Only of a message whose chat is stored under a username or phone. With `chatId` if the person's chat is known, but
   * earlier messages still wait under the name.
   */
  readonly recipient?: { readonly chatId?: string; readonly username?: string; readonly phone?: string };
  readonly attachment?: Attachment;
  readonly template?: {
    readonly id: string;
    readonly values: readonly string[];
    readonly payloads: readonly string[];
  };
  readonly keyboard?: Keyboard;
  /** The message is no reply: unanswered messages of the chat stay unanswered. */
  readonly leavesUnanswered?: true;
  /** Written on our own chat page. */
  readonly fromApp?: true;
}

/** What `messages.content` holds for an incoming message. */
export interface IncomingContent extends MessageExtras, MessageInputs {
  readonly profileId?: string;
  /** For `unsupported` bodies: what it was, such as `poll`. */
  readonly unsupported?: string;
  /** The content may still arrive; see `late-content.ts`. */
  readonly awaited?: true;
}

/**
 * A message body as the columns `type` and `text`. Locations and contact cards become text, because the interface has
 * no fields for them.
 */
export function columnsOf(body: MessageBody): { type: MessageType; text: string | null } {
  switch (body.type) {
    case "text":
      return { type: "text", text: body.text };
    case "media":
      return { type: body.media, text: body.text === "" ? null : body.text };
    case "geo":
      return {
        type: "geo",
        text: [`${body.latitude},${body.longitude}`, body.text].filter((part) => part !== "").join("\n"),
      };
    case "vcard":
      return { type: "vcard", text: body.vcard };
    case "missing_call":
      return { type: "missing_call", text: null };
    case "unsupported":
      return { type: "unsupported", text: body.text ?? null };
  }
}

const OFFICE = "application/vnd.openxmlformats-officedocument";
/** Formats by file extension. */
const FORMATS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "image/jpeg": "jpg jpeg",
    "image/png": "png",
    "image/webp": "webp",
    "image/gif": "gif",
    "image/heic": "heic",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg oga opus",
    "audio/wav": "wav",
    "audio/mp4": "m4a",
    "audio/aac": "aac",
    "audio/amr": "amr",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-msvideo": "avi",
    "video/x-matroska": "mkv",
    "video/3gpp": "3gp",
    "application/pdf": "pdf",
    "text/plain": "txt",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    [`${OFFICE}.wordprocessingml.document`]: "docx",
    [`${OFFICE}.spreadsheetml.sheet`]: "xlsx",
    [`${OFFICE}.presentationml.presentation`]: "pptx",
  }).flatMap(([format, endings]) => endings.split(" ").map((ending) => [ending, format] as const)),
);
/** The usual file extension of each format. */
const ENDINGS: ReadonlyMap<string, string> = new Map(
  [...FORMATS].toReversed().map(([ending, format]) => [format, ending]),
);
/** Other names of formats, which messengers do not recognise. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["audio/mp3", "audio/mpeg"],
  ["audio/m4a", "audio/mp4"],
  ["audio/x-m4a", "audio/mp4"],
  ["audio/opus", "audio/ogg"],
]);
/** The MIME type of a file of unknown format. */
export const UNKNOWN_FORMAT = "application/octet-stream";
/** What servers send for files of unknown format. */
const NAMELESS: ReadonlySet<string> = new Set(["", UNKNOWN_FORMAT, "binary/octet-stream"]);

interface NamedFile {
  readonly mimeType?: string;
  readonly name?: string;
  readonly url?: string;
}

/**
 * The MIME type of a file, under its usual name: as stated if that is specific, else by the extension of its name, or
 * of its address if the name has none.
 */
export function mimeTypeOf({ mimeType = "", name = "", url }: NamedFile): string {
  const stated = essence(mimeType);
  if (!NAMELESS.has(stated)) return ALIASES.get(stated) ?? mimeType;
  const path = url !== undefined && URL.canParse(url) ? new URL(url).pathname : "";
  return FORMATS.get(endingOf(name) ?? endingOf(path) ?? "") ?? UNKNOWN_FORMAT;
}

const NAMES: Readonly<Record<MediaKind, string>> = {
  image: "image.jpg",
  audio: "audio.ogg",
  video: "video.mp4",
  document: "file",
};

/** The name under which a messenger's file is stored; if it has no extension, that of its type is added. Pure. */
export function storedName({ name = "", mimeType = "" }: NamedFile, kind: MediaKind): string {
  const stated = essence(mimeType);
  const ending = ENDINGS.get(ALIASES.get(stated) ?? stated);
  if (name !== "") return ending === undefined || endingOf(name) !== undefined ? name : `${name}.${ending}`;
  return ending === undefined ? NAMES[kind] : `${kind === "document" ? "file" : kind}.${ending}`;
}

/** The media kind of a file; a document unless its type says otherwise. */
export function mediaKindOf(file: NamedFile): MediaKind {
  const type = essence(mimeTypeOf(file));
  const [family] = type.split("/");
  const isMedia = family === "image" || family === "audio" || family === "video";
  return isMedia && type !== "image/svg+xml" ? family : "document";
}

function essence(mimeType: string): string {
  return mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Lower case, without the dot; undefined if there is none. */
function endingOf(path: string): string | undefined {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase();
}

const RANK: Readonly<Record<MessageStatus, number>> = {
  queued: 0,
  inbound: 0,
  sent: 1,
  delivered: 2,
  read: 3,
  error: 4,
};

/** Statuses only rise. `error` ends a message: nothing follows it, and it follows only `queued` and `sent`. */
export function rises(from: MessageStatus, to: MessageStatus): boolean {
  if (from === "inbound" || from === "error") return false;
  if (to === "error") return from === "queued" || from === "sent";
  return RANK[to] > RANK[from];
}

/** The statuses from which a message may become `to`: the rule of `rises` for SQL. */
export function statusesBelow(to: MessageStatus): MessageStatus[] {
  return (Object.keys(RANK) as MessageStatus[]).filter((from) => rises(from, to));
}
