import type { OutboundFile } from "../../core/transport/connector.ts";

/** How WhatsApp shows a file; each is a type of message of its own. */
export type MediaForm = "image" | "video" | "audio" | "document";

const MEGABYTE = 1024 * 1024;

/** Page "Supported media types"; what is larger or of another format travels as a document. */
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
 * Whether Meta may fetch it by its link: Meta goes by what the server says of it, and tells only later that it cannot show
 * that. Of documents it takes any type.
 */
export function mayPassLink(file: OutboundFile): boolean {
  return file.urlIsPublic && chooseForm({ ...file, mimeType: file.urlMimeType }) === chooseForm(file);
}

/** Meta refuses uploads of types that it does not list; a document of another type is just bytes. */
export function uploadType({ mimeType }: Pick<OutboundFile, "mimeType">): string {
  const type = essence(mimeType);
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}

function essence(mimeType: string): string {
  return (mimeType.split(";")[0] ?? "").trim().toLowerCase();
}
