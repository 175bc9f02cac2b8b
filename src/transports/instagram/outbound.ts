import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";

const MAX_TEXT_BYTES = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Page "Send messages", "Media types and specifications". */
const FORMATS = {
  image: { type: "image", fits: /^image\/(png|jpeg|gif)$/ },
  video: { type: "video", fits: /^video\/(mp4|ogg|x-msvideo|avi|quicktime|webm)$/ },
  audio: { type: "audio", fits: /^(audio\/(aac|x-aac|mp4|m4a|x-m4a|wav|x-wav|vnd\.wave)|video\/mp4)$/ },
  document: { type: "file", fits: /^application\/pdf$/ },
} as const;

/** The recipient: a person, or the author of a comment. A message to the latter does not open a reply window. */
export type Recipient = { readonly id: string } | { readonly comment_id: string };

/**
 * The body of `POST /{node}/messages`. Instagram fetches files by URL. A reply after more than a day carries the
 * human agent tag. Throws `TransportError` for content that Instagram does not support.
 */
export function toPayload(message: OutboundMessage, recipient: Recipient): object {
  const { quietMs } = message;
  const isLate = "id" in recipient && quietMs !== undefined && quietMs >= DAY_MS;
  return {
    recipient,
    message: contentOf(message),
    ...(isLate && { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" }),
  };
}

function contentOf({ content }: OutboundMessage): object {
  if (content.type === "text") {
    if (Buffer.byteLength(content.text) > MAX_TEXT_BYTES)
      throw new TransportError("TOO_LONG_TEXT", `Instagram accepts at most ${MAX_TEXT_BYTES} bytes of text`);
    return { text: content.text };
  }
  if (content.type === "template")
    throw new TransportError("WRONG_CONTENT", "Instagram does not support templates");
  return { attachment: { type: typeFor(content.file), payload: { url: content.file.url } } };
}

function typeFor({ kind, mimeType }: OutboundFile): string {
  const { type, fits } = FORMATS[kind];
  const essence = (mimeType.split(";")[0] ?? "").trim().toLowerCase();
  if (fits.test(essence)) return type;
  throw new TransportError("WRONG_CONTENT", "Instagram does not accept files of this format", {
    data: essence,
  });
}

/** The public reply to a comment. Limits (page "Comment moderation"): text only, 300 characters. */
export function toReply({ content }: OutboundMessage): { message: string } {
  if (content.type !== "text")
    throw new TransportError("COMMENT_CAN_BE_TEXT_ONLY", "A comment on Instagram can contain only text");
  if ([...content.text].length > 300)
    throw new TransportError("TOO_LONG_TEXT", "A comment on Instagram can have at most 300 characters");
  return { message: content.text };
}
