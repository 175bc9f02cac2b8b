import type {
  MessageChange,
  OutboundFile,
  OutboundMessage,
  SentMessage,
} from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { MessageRef } from "../../core/transport/events.ts";
import { fields, listOf, text } from "../../platform/foreign/foreign-json.ts";
import { unreadable } from "../kit/no-response.ts";
import type { Community } from "./community.ts";
import { Refusal, UploadRefusal } from "./errors.ts";
import { formOf, messageIdOf, peerIdOf, toSend } from "./outbound.ts";
import { readRemoved, readSent } from "./update.ts";
import { type Upload, upload } from "./uploads.ts";

/** Throws `Refusal` or `TransportError`. */
export async function sendMessage(
  { client }: Community,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SentMessage> {
  const { content, to } = message;
  const attachment =
    content.type === "file" ? await attach({ client }, content.file, peerIdOf(to), signal) : null;
  const answer = await client.call("messages.send", toSend(message, attachment), signal);
  const [sent] = readSent(answer) ?? [];
  if (sent?.error?.code !== undefined && sent.error.code !== 0)
    throw new Refusal(sent.error.code, sent.error.description ?? "");
  return {
    chatId: sent?.peer_id ?? to.chatId ?? "",
    externalId: sent?.conversation_message_id ?? `pending:${message.id}`,
    sentAt: new Date(),
  };
}

/**
 * Uploads the file in its own form. If the upload server refuses it, retries as a document, then with a neutral file
 * extension.
 */
async function attach(
  { client }: Pick<Community, "client">,
  file: OutboundFile,
  peerId: number,
  signal: AbortSignal,
): Promise<string> {
  const first: Upload = { file, form: formOf(file), name: file.name, peerId };
  const asDocument: Upload = { ...first, form: "doc" };
  const renamed: Upload = { ...asDocument, name: `${file.name}.file` };
  const attempts = first.form === "doc" ? [first, renamed] : [first, asDocument, renamed];
  let refused: UploadRefusal | undefined;
  for (const attempt of attempts) {
    try {
      return await upload(client, attempt, signal);
    } catch (error) {
      if (!(error instanceof UploadRefusal)) throw error;
      refused = error;
    }
  }
  throw new TransportError("CONTENT_CONVERSION_ERROR", "VK cannot process this file", {
    data: refused?.message ?? "",
  });
}

/**
 * Throws `Refusal` or `TransportError`. An edit removes whatever it does not name, so the current content is passed
 * again.
 */
export async function editMessage(
  { client }: Community,
  ref: MessageRef,
  change: MessageChange,
  signal: AbortSignal,
): Promise<void> {
  const target = targetOf(ref);
  const present = await readPresent({ client }, target, signal);
  const attachment =
    "file" in change ? await attach({ client }, change.file, target.peer_id, signal) : present.attachment;
  await client.call(
    "messages.edit",
    {
      ...target,
      message: "text" in change ? change.text : present.text,
      attachment,
      keyboard: present.keyboard,
      keep_forward_messages: 1,
      keep_snippets: 1,
    },
    signal,
  );
}

interface Target {
  readonly peer_id: number;
  readonly cmid: number;
}

interface Present {
  readonly text: string | undefined;
  readonly attachment: string | undefined;
  readonly keyboard: string | undefined;
}

const readMessages = fields({ items: listOf(fields({ text })) });

/** Reads the current message (dev.vk.com, `messages.getByConversationMessageId`). */
async function readPresent(
  { client }: Pick<Community, "client">,
  target: Target,
  signal: AbortSignal,
): Promise<Present> {
  const answer = await client.call(
    "messages.getByConversationMessageId",
    { peer_id: target.peer_id, conversation_message_ids: target.cmid },
    signal,
  );
  const message = readMessages(answer)?.items?.[0];
  if (message === undefined) throw new TransportError("MESSAGE_DELETED", "The message no longer exists");
  const raw = (answer as { readonly items: readonly Readonly<Record<string, unknown>>[] }).items[0];
  return {
    text: message.text,
    attachment: namesOf(raw?.["attachments"]),
    keyboard: keyboardOf(raw?.["keyboard"]),
  };
}

/** The attachment string for the message's current attachments: `photo-1_457_key,doc-1_5`. */
function namesOf(attachments: unknown): string | undefined {
  if (!Array.isArray(attachments)) return undefined;
  const names = attachments.flatMap((each: unknown) => {
    const type = text((each as { readonly type?: unknown } | null)?.type) ?? "";
    const object = (each as Readonly<Record<string, unknown>> | null)?.[type];
    const { id, owner_id, access_key } = (object ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof id !== "number" || typeof owner_id !== "number") return [];
    return [`${type}${owner_id}_${id}${text(access_key) === undefined ? "" : `_${String(access_key)}`}`];
  });
  return names.length === 0 ? undefined : names.join(",");
}

/** Only an inline keyboard is part of the message. */
function keyboardOf(keyboard: unknown): string | undefined {
  const { inline, buttons } = (keyboard ?? {}) as Readonly<Record<string, unknown>>;
  return inline === true ? JSON.stringify({ inline, buttons }) : undefined;
}

/** Deleting a message that is already gone succeeds. */
export async function removeMessage(
  { client }: Community,
  ref: MessageRef,
  signal: AbortSignal,
): Promise<void> {
  const { peer_id, cmid } = targetOf(ref);
  const answer = await client.call("messages.delete", { peer_id, cmids: cmid, delete_for_all: 1 }, signal);
  const error = readRemoved(answer)?.[0]?.error;
  if (error?.code !== undefined) throw new Refusal(error.code, error.description ?? "");
  if (!Array.isArray(answer) && typeof answer !== "object") throw unreadable(200, "VK", true);
}

function targetOf(ref: MessageRef): Target {
  const cmid = messageIdOf(ref);
  if (cmid === undefined) throw new TransportError("GENERAL_ERROR", "VK cannot change this message");
  return { peer_id: peerIdOf(ref), cmid };
}
