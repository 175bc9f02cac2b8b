import { randomBytes } from "node:crypto";
import type { BlobStore } from "../../blob-store.ts";
import type { Clock } from "../../clock.ts";

/** The kinds of files, which differ in the prefix of their identifiers and in their folders. */
export type FileKind =
  | "photo"
  | "video"
  | "audio"
  | "voice"
  | "document"
  | "animation"
  | "video_note"
  | "sticker";

const prefixes: Readonly<Record<FileKind, string>> = {
  photo: "AgACAgIAAxkBAAI",
  video: "BAACAgIAAxkBAAI",
  audio: "CQACAgIAAxkBAAI",
  voice: "AwACAgIAAxkBAAI",
  document: "BQACAgIAAxkBAAI",
  animation: "CgACAgIAAxkBAAI",
  video_note: "DQACAgIAAxkBAAI",
  sticker: "CAACAgIAAxkBAAI",
};

const folders: Readonly<Record<FileKind, string>> = {
  photo: "photos",
  video: "videos",
  audio: "music",
  voice: "voice",
  document: "documents",
  animation: "animations",
  video_note: "video_notes",
  sticker: "stickers",
};

/** A download link is valid for at least an hour: https://core.telegram.org/bots/api#getfile */
const linkLifetimeMs = 60 * 60 * 1000;

/** Owner of a file sent in a group: each of its bots may use it. */
export const sharedOwner = 0;

/** A file known to a bot. Identifiers are specific to the bot. */
export interface StoredFile {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly botId: number;
  readonly kind: FileKind;
  readonly blobKey: string;
  readonly size: number;
  readonly mime: string;
  readonly name: string | undefined;
  /** Size, duration and so on, as in the media object. */
  readonly traits: Readonly<Record<string, unknown>>;
  readonly path: string;
}

/** A file without an identifier. */
export type NewFile = Omit<StoredFile, "file_id" | "file_unique_id" | "path">;

/** Files by identifier and by download path. */
export class FileRegistry {
  readonly blobs: BlobStore;
  readonly #clock: Clock;
  readonly #files = new Map<string, StoredFile>();
  readonly #links = new Map<string, { readonly file: StoredFile; readonly untilMs: number }>();
  readonly #lastNumbers = new Map<string, number>();

  constructor(blobs: BlobStore, clock: Clock) {
    this.blobs = blobs;
    this.#clock = clock;
  }

  add(file: NewFile): StoredFile {
    const number = (this.#lastNumbers.get(file.kind) ?? 0) + 1;
    this.#lastNumbers.set(file.kind, number);
    const stored = {
      ...file,
      file_id: prefixes[file.kind] + randomBytes(36).toString("base64url"),
      file_unique_id: `AQAD${randomBytes(9).toString("base64url")}`,
      path: `${folders[file.kind]}/file_${number}${extension(file)}`,
    };
    this.#files.set(stored.file_id, stored);
    return stored;
  }

  find(botId: number, fileId: string): StoredFile | undefined {
    const file = this.#files.get(fileId);
    return file && isOwner(botId, file) ? file : undefined;
  }

  /** Makes the download path valid for an hour. */
  openLink(file: StoredFile): void {
    const untilMs = this.#clock.nowMs() + linkLifetimeMs;
    this.#links.set(file.path, { file, untilMs });
  }

  byLink(botId: number, path: string): StoredFile | undefined {
    const link = this.#links.get(path);
    const valid = link && isOwner(botId, link.file) && link.untilMs > this.#clock.nowMs();
    return valid ? link.file : undefined;
  }

  clear(): void {
    for (const { blobKey } of this.#files.values()) void this.blobs.remove(blobKey);
    this.#files.clear();
    this.#links.clear();
    this.#lastNumbers.clear();
  }

  save(): readonly StoredFile[] {
    return [...this.#files.values()];
  }

  restore(file: StoredFile): void {
    this.#files.set(file.file_id, file);
    const number = Number(/_(\d+)/.exec(file.path)?.[1] ?? 0);
    this.#lastNumbers.set(file.kind, Math.max(number, this.#lastNumbers.get(file.kind) ?? 0));
  }
}

function isOwner(botId: number, file: StoredFile): boolean {
  return file.botId === botId || file.botId === sharedOwner;
}

function extension(file: NewFile): string {
  const ofName = file.name && /\.\w{1,5}$/.exec(file.name)?.[0];
  return ofName || extensions[file.mime] || "";
}

const extensions: Readonly<Record<string, string>> = {
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/webp": ".webp",
  "image/gif": ".gif",
  "video/mp4": ".mp4",
  "video/webm": ".webm",
  "audio/mpeg": ".mp3",
  "audio/ogg": ".oga",
  "application/pdf": ".pdf",
  "application/x-tgsticker": ".tgs",
};
