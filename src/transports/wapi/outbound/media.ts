import type { OutboundFile } from "../../../core/transport/connector.ts";

/** How WhatsApp shows a file; each form is its own message type. */
export type MediaForm = "image" | "video" | "audio" | "document";

const MEGABYTE = 1024 * 1024;

/** Page "Supported media types". Files that are larger or of another format are sent as documents. */
const FORMATS: Readonly<Record<Exclude<MediaForm, "document">, { maxBytes: number; mimeTypes: string[] }>> = {
  image: { maxBytes: 5 * MEGABYTE, mimeTypes: ["image/jpeg", "image/png"] },
  video: { maxBytes: 16 * MEGABYTE, mimeTypes: ["video/mp4", "video/3gpp"] },
  audio: {
    maxBytes: 16 * MEGABYTE,
    mimeTypes: ["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"],
  },
};
export function chooseForm({ kind, mimeType, size }: OutboundFile): MediaForm {
  if (kind === "document") return "document";
  const { maxBytes, mimeTypes } = FORMATS[kind];
  return size <= maxBytes && mimeTypes.includes(essence(mimeType)) ? kind : "document";
}

/**
 * Whether Meta can fetch the file by URL. Meta relies on the content type that the server declares, and reports an
 * unsupported one only later. Documents may have any type.
 */
export function mayPassLink(file: OutboundFile): boolean {
  return file.urlIsPublic && chooseForm({ ...file, mimeType: file.urlMimeType }) === chooseForm(file);
}

/** Meta refuses uploads of unlisted types; a document of another type is uploaded as octet-stream. */
export function uploadType({ mimeType }: Pick<OutboundFile, "mimeType">): string {
  const type = essence(mimeType);
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}

function essence(mimeType: string): string {
  return (mimeType.split(";")[0] ?? "").trim().toLowerCase();
}
