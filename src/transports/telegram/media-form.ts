import { posix } from "node:path";
import type { OutboundFile } from "../../core/transport/connector.ts";

/** How Telegram shows a file; each form has its own method (`sendPhoto` …). */
export type MediaForm = "photo" | "video" | "animation" | "audio" | "voice" | "document";

const MEGABYTE = 1_000_000;
const MAX_PHOTO_BYTES = 10 * MEGABYTE;

/**
 * The largest file that Telegram fetches by URL (Bot API, "Sending files"). Larger voice notes would become plain
 * files.
 */
const MAX_LINK_BYTES: Readonly<Record<MediaForm, number>> = {
  photo: 5 * MEGABYTE,
  video: 20 * MEGABYTE,
  animation: 20 * MEGABYTE,
  audio: 20 * MEGABYTE,
  voice: MEGABYTE,
  document: 20 * MEGABYTE,
};

/** Formats that Telegram plays or shows (Bot API, `sendPhoto` … `sendVoice`). Other formats are sent as documents. */
const FORMS: Readonly<Record<string, MediaForm>> = {
  "image/jpeg": "photo",
  "image/png": "photo",
  "image/gif": "animation",
  "video/mp4": "video",
  "audio/mpeg": "audio",
  "audio/mp4": "audio",
  "audio/ogg": "voice",
};

export function chooseForm({ kind, mimeType, size }: OutboundFile): MediaForm {
  if (kind === "document") return "document";
  const form = FORMS[essence(mimeType)] ?? "document";
  return form === "photo" && size > MAX_PHOTO_BYTES ? "document" : form;
}

/**
 * Whether Telegram can fetch the file by URL. A document fetched by URL is named after the URL, so a file with
 * another name is uploaded; Telegram accepts only three document formats by URL.
 */
export function mayPassLink({ url, urlIsPublic, size, name }: OutboundFile, form: MediaForm): boolean {
  if (!urlIsPublic || size > MAX_LINK_BYTES[form]) return false;
  if (form !== "document") return true;
  return /\.(pdf|zip|gif)$/i.test(name) && name === nameInLink(url);
}

function nameInLink(url: string): string | undefined {
  const name = posix.basename(URL.parse(url)?.pathname ?? "");
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

function essence(mimeType: string): string {
  return (mimeType.split(";")[0] ?? "").trim().toLowerCase();
}
