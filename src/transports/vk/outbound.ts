import { createHash } from "node:crypto";
import type { OutboundFile, OutboundMessage, Recipient } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { MessageRef } from "../../core/transport/events.ts";
import type { Keyboard } from "../../core/transport/keyboard.ts";
import type { Json } from "../kit/json.ts";
import type { Params } from "./client.ts";

/** How VK shows a file; each form has its own upload method (dev.vk.com, "Uploading files"). */
export type MediaForm = "photo" | "audio_message" | "doc";

const MAX_LABEL = 40;
/**
 * dev.vk.com, "Bot keyboards": an inline keyboard has at most 6 rows and 10 buttons, one under the input field 10
 * rows and 40 buttons.
 */
const INLINE = { rows: 6, buttons: 10, columns: 5 } as const;
const STANDARD = { rows: 10, buttons: 40, columns: 5 } as const;

export function formOf({ kind, mimeType }: OutboundFile): MediaForm {
  const type = (mimeType.split(";")[0] ?? "").trim().toLowerCase();
  if (kind === "image" && /^image\/(jpeg|png|gif)$/.test(type)) return "photo";
  if (kind === "audio" && /^audio\/(ogg|opus|mpeg|mp3)$/.test(type)) return "audio_message";
  return "doc";
}

/** A person's id, or the id of a group chat (above 2,000,000,000). VK does not resolve usernames for communities. */
export function peerIdOf({ chatId = "" }: Recipient): number {
  const id = /^[1-9][0-9]{0,15}$/.test(chatId) ? Number(chatId) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new TransportError("BAD_CONTACT", "A VK community requires the conversation's numeric id");
}

/**
 * The `random_id` by which VK deduplicates a send: 31 bits derived from the message id. Never 0, which disables
 * deduplication.
 */
export function randomIdOf({ id }: Pick<OutboundMessage, "id">): number {
  return createHash("sha256").update(id).digest().readUInt32BE() & 0x7fff_ffff || 1;
}

/** The parameters of `messages.send`. With `peer_ids`, VK returns the message's id in the conversation. */
export function toSend(message: OutboundMessage, attachment: string | null): Params {
  const { content, keyboard, quoted } = message;
  const peerId = peerIdOf(message.to);
  return {
    peer_ids: peerId,
    random_id: randomIdOf(message),
    message: textOf(content),
    attachment: attachment ?? undefined,
    forward: quoted && toForward(peerId, quoted),
    keyboard: keyboard && JSON.stringify(toKeyboard(keyboard)),
  };
}

/** The text of a message, with or without a file. */
function textOf(content: OutboundMessage["content"]): string | undefined {
  if (content.type === "file") return content.caption;
  return content.type === "text" ? content.text : undefined;
}

function toForward(peerId: number, quoted: MessageRef): string | undefined {
  const id = messageIdOf(quoted);
  return id === undefined
    ? undefined
    : JSON.stringify({ peer_id: peerId, conversation_message_ids: [id], is_reply: 1 });
}

/**
 * Undefined for ids that are not VK messages, such as button presses. A part of a message maps to the whole message.
 */
export function messageIdOf({ externalId }: MessageRef): number | undefined {
  const id = /^([1-9][0-9]{0,15})(#\d+)?$/.exec(externalId)?.[1];
  return id === undefined ? undefined : Number(id);
}

export function toKeyboard(keyboard: Keyboard): Json {
  switch (keyboard.kind) {
    case "inline": {
      const rows = keyboard.rows.map((row) =>
        row.map(({ text, url, payload }) =>
          url === undefined ? textButton(text, payload ?? text) : linkButton(text, url),
        ),
      );
      return { inline: true, buttons: fitInto(rows, INLINE) };
    }
    case "reply": {
      const rows = keyboard.rows.map((row) => row.map(({ text }) => textButton(text)));
      return { one_time: keyboard.oneTime, inline: false, buttons: fitInto(rows, STANDARD) };
    }
    case "remove":
      return { one_time: false, inline: false, buttons: [] };
    case "interactive":
    case "rows":
      throw new TransportError("GENERAL_ERROR", "VK does not support keyboards of this kind");
  }
}

/** Moves excess buttons of a row into further rows, and drops those beyond VK's limits. */
function fitInto(
  rows: readonly (readonly Json[])[],
  limits: { readonly rows: number; readonly buttons: number; readonly columns: number },
): readonly (readonly Json[])[] {
  let left: number = limits.buttons;
  const fitted = rows.flatMap((row) => {
    const kept = row.slice(0, left);
    left -= kept.length;
    const parts = Math.ceil(kept.length / limits.columns);
    return Array.from({ length: parts }, (_, index) =>
      kept.slice(index * limits.columns, (index + 1) * limits.columns),
    );
  });
  return fitted.slice(0, limits.rows);
}

/** Pressing it sends a message with the label and the payload, which must be JSON. */
function textButton(label: string, data?: string): Json {
  const payload = data === undefined ? {} : { payload: JSON.stringify({ data }) };
  return { action: { type: "text", label: shorten(label), ...payload } };
}

function linkButton(label: string, link: string): Json {
  return { action: { type: "open_link", label: shorten(label), link } };
}

function shorten(label: string): string {
  const characters = [...label];
  return characters.length <= MAX_LABEL ? label : `${characters.slice(0, MAX_LABEL - 1).join("")}…`;
}
