import type { tl } from "@mtcute/core";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { MessageRef } from "../../core/transport/events.ts";

/** How Telegram shows a file. */
export type MediaForm = "photo" | "video" | "animation" | "audio" | "voice" | "document";

/**
 * The size limit of photos (core.telegram.org/api/files, "Uploading files"); larger pictures are sent as documents.
 */
const MAX_PHOTO_BYTES = 10_000_000;

const FORMS: Readonly<Record<string, MediaForm>> = {
  "image/jpeg": "photo",
  "image/png": "photo",
  "image/gif": "animation",
  "video/mp4": "video",
  "audio/mpeg": "audio",
  "audio/mp4": "audio",
  "audio/ogg": "voice",
};

/** The form in which Telegram shows a file; other formats are sent as documents. Pure. */
export function chooseForm({ kind, mimeType, size }: OutboundFile): MediaForm {
  if (kind === "document") return "document";
  const form = FORMS[essence(mimeType)] ?? "document";
  return form === "photo" && size > MAX_PHOTO_BYTES ? "document" : form;
}

/** The media to send, with the uploaded file and the thumbnail of a video. Pure. */
export function toMedia(
  file: OutboundFile,
  form: MediaForm,
  {
    file: uploaded,
    thumb,
  }: { readonly file: tl.TypeInputFile; readonly thumb?: tl.TypeInputFile | undefined },
): tl.TypeInputMedia {
  if (form === "photo") return { _: "inputMediaUploadedPhoto", file: uploaded };
  return {
    _: "inputMediaUploadedDocument",
    file: uploaded,
    mimeType: essence(file.mimeType) || "application/octet-stream",
    attributes: [...attributesOf(file, form), { _: "documentAttributeFilename", fileName: file.name }],
    // Otherwise Telegram converts WebP pictures to stickers and silent videos to animations.
    ...(form === "document" ? { forceFile: true } : {}),
    ...(form === "video" ? { nosoundVideo: true } : {}),
    ...(thumb === undefined ? {} : { thumb }),
  };
}

/** Where durations and dimensions are not known, players determine them. */
function attributesOf(
  { videoPreview, voiceNote }: OutboundFile,
  form: MediaForm,
): tl.TypeDocumentAttribute[] {
  switch (form) {
    case "video": {
      const { seconds: duration, width: w, height: h } = videoPreview ?? { seconds: 0, width: 0, height: 0 };
      return [{ _: "documentAttributeVideo", duration, w, h, supportsStreaming: true }];
    }
    case "animation":
      return [{ _: "documentAttributeAnimated" }];
    case "audio":
      return [{ _: "documentAttributeAudio", duration: 0 }];
    case "voice":
      return [
        {
          _: "documentAttributeAudio",
          duration: voiceNote?.seconds ?? 0,
          voice: true,
          ...(voiceNote === undefined ? {} : { waveform: packed(voiceNote.waveform) }),
        },
      ];
    case "photo":
    case "document":
      return [];
  }
}

/** Peaks from 0 to 100 as Telegram's: 5 bits each, the lowest bit first (core.telegram.org, `documentAttributeAudio`). */
function packed(waveform: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((waveform.length * 5) / 8));
  waveform.forEach((peak, index) => {
    const value = Math.round((peak / 100) * 31);
    const [at, shift] = [Math.floor((index * 5) / 8), (index * 5) % 8];
    const bits = value << shift;
    bytes[at] = (bytes[at] ?? 0) | (bits & 0xff);
    if (bits > 0xff) bytes[at + 1] = (bytes[at + 1] ?? 0) | (bits >> 8);
  });
  return bytes;
}

export interface Addressed {
  readonly peer: tl.TypeInputPeer;
  readonly randomId: tl.Long;
  /** Present for a file. */
  readonly media?: tl.TypeInputMedia | undefined;
}

/** The call that sends a message, as plain text without markup. Pure. */
export function toRequest(
  { content, quoted }: OutboundMessage,
  { peer, randomId, media }: Addressed,
): tl.messages.RawSendMessageRequest | tl.messages.RawSendMediaRequest {
  const reply = quotedId(quoted);
  const common = {
    peer,
    randomId,
    ...(reply === undefined ? {} : { replyTo: { _: "inputReplyToMessage" as const, replyToMsgId: reply } }),
  };
  switch (content.type) {
    case "text":
      return { _: "messages.sendMessage", ...common, message: content.text };
    case "file":
      if (media === undefined) throw new TypeError("A file has to be uploaded first");
      return { _: "messages.sendMedia", ...common, media, message: content.caption ?? "" };
    case "template":
      throw new TransportError("GENERAL_ERROR", "Telegram does not support templates");
  }
}

/** Undefined if the message has no Telegram id. */
function quotedId(quoted: MessageRef | undefined): number | undefined {
  return quoted === undefined ? undefined : messageIdOf(quoted);
}

/** A part of a message has the message's id. */
export function messageIdOf({ externalId }: Pick<MessageRef, "externalId">): number | undefined {
  const id = /^([1-9][0-9]{0,9})(?:#[0-9]+)?$/.exec(externalId)?.[1];
  return id === undefined ? undefined : Number(id);
}

function essence(mimeType: string): string {
  return (mimeType.split(";")[0] ?? "").trim().toLowerCase();
}

/** Parses the response to a send (TL type `Updates`); null if it does not contain the message. Pure. */
export function readSent(
  answer: tl.TypeUpdates,
  randomId: tl.Long,
): { readonly id: number; readonly date: number | undefined } | null {
  if (answer._ === "updateShortSentMessage") return { id: answer.id, date: answer.date };
  if (answer._ !== "updates" && answer._ !== "updatesCombined") return null;
  const named = answer.updates.find((each) => each._ === "updateMessageID" && each.randomId.eq(randomId));
  const id = named?._ === "updateMessageID" ? named.id : undefined;
  const messages = answer.updates.flatMap((each) =>
    each._ === "updateNewMessage" || each._ === "updateNewChannelMessage" ? [each.message] : [],
  );
  const message = messages.find((each) => (id === undefined ? true : each.id === id));
  const date = message !== undefined && "date" in message ? message.date : answer.date;
  const sentId = id ?? message?.id;
  return sentId === undefined ? null : { id: sentId, date };
}
