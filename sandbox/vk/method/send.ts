import { type GroupCall, groupMethod, type MethodTable, noteSent } from "../call/call.ts";
import { badParam, VkError } from "../call/vk-error.ts";
import { addMessage, type Content, orderingKeyOf } from "../chat/conversation.ts";
import type { Dialog } from "../chat/dialog.ts";
import { readKeyboard } from "../chat/keyboard.ts";
import type { Keyboard, Message } from "../shape.ts";
import { readAttachments, readGeo, readQuoted, readText } from "./content.ts";
import { readTargets, writableDialog } from "./target.ts";

/** How long a repeated `random_id` returns the message already sent. */
const randomIdLifetimeMs = 60 * 60 * 1000;
const maxPayload = 1000;
const intents = ["default", "promo_newsletter", "non_promo_newsletter", "confirmed_notification"];

/** `messages.send` */
export const sendMethods: MethodTable = {
  "messages.send": groupMethod(
    "messages",
    {
      user_id: "integer",
      random_id: "text",
      peer_id: "integer",
      peer_ids: "integers",
      domain: "text",
      chat_id: "integer",
      message: "text",
      lat: "number",
      long: "number",
      attachment: "texts",
      reply_to: "integer",
      forward_messages: "integers",
      forward: "json",
      sticker_id: "integer",
      keyboard: "json",
      template: "json",
      payload: "json",
      content_source: "json",
      dont_parse_links: "flag",
      disable_mentions: "flag",
      intent: "text",
      subscribe_id: "integer",
    },
    send,
  ),
};

interface Draft {
  readonly randomId: number;
  readonly keyboard: Keyboard | undefined;
  readonly content: Content;
}

function send(call: GroupCall): unknown {
  const { params } = call;
  const randomId = readRandomId(call);
  const { peerIds, isList } = readTargets(call);
  const draft = { randomId, ...readDraft(call) };
  if (!isList) return sendTo(call, peerIds[0] ?? 0, draft).id;
  // An error for one peer does not fail the call; an error in the content does.
  if (params.text("reply_to") !== undefined) throw badParam("reply_to can't be used with peer_ids");
  return peerIds.map((peerId) => sendToOne(call, peerId, draft));
}

function sendToOne(call: GroupCall, peerId: number, draft: Draft): object {
  try {
    const { id, conversation_message_id } = sendTo(call, peerId, draft);
    return { peer_id: peerId, message_id: id, conversation_message_id };
  } catch (error) {
    if (!(error instanceof VkError)) throw error;
    const problem = { code: error.code, description: error.message };
    return { peer_id: peerId, message_id: 0, conversation_message_id: 0, error: problem };
  }
}

/** A signed 32-bit number; larger ones, which clients send, are truncated. */
function readRandomId({ params }: GroupCall): number {
  const text = params.values["random_id"]?.trim();
  if (text === undefined || text === "") throw badParam("random_id is a required parameter");
  if (!/^-?\d+$/.test(text)) throw badParam("random_id not integer");
  return Number(BigInt.asIntN(32, BigInt(text)));
}

function readDraft(call: GroupCall): Omit<Draft, "randomId"> {
  const { params, community } = call;
  params.oneOf("intent", intents, "default");
  if (params.text("template") !== undefined) throw badParam("template is not supported by this emulator");
  const keyboard = readKeyboard(params, -community.id);
  if (keyboard && !community.botsEnabled) throw new VkError(912);
  const payload = readPayload(call);
  const sticker = readSticker(call);
  const attachments = [...readAttachments(call), ...sticker];
  const text = readText(call);
  const geo = readGeo(call);
  const hasForward = params.text("forward") ?? params.text("forward_messages");
  if (text === "" && attachments.length === 0 && !geo.geo && hasForward === undefined) {
    throw badParam("message is empty or invalid");
  }
  return { keyboard, content: { text, attachments, ...geo, ...(payload !== undefined && { payload }) } };
}

function readPayload({ params }: GroupCall): string | undefined {
  const payload = params.text("payload");
  params.json("payload");
  if (payload !== undefined && [...payload].length > maxPayload) throw badParam("payload is too long");
  return payload;
}

function readSticker({ params, world }: GroupCall) {
  const id = params.integer("sticker_id");
  if (id === undefined) return [];
  const url = `${world.url()}/sticker/${id}-512`;
  return [
    {
      type: "sticker",
      sticker: { sticker_id: id, product_id: 1, images: [{ url, width: 512, height: 512 }] },
    },
  ];
}

function sendTo(call: GroupCall, peerId: number, draft: Draft): Message {
  const { world, community } = call;
  const dialog = writableDialog(call, peerId);
  const repeated = findRepeated(call, dialog, draft.randomId);
  if (repeated) return repeated;
  const { keyboard, content, randomId } = draft;
  const message = addMessage(world, { community, dialog }, -community.id, {
    ...content,
    ...readQuoted(call, dialog),
    random_id: randomId,
    ...(keyboard && { keyboard }),
  });
  if (keyboard && !keyboard.inline) dialog.keyboard = keyboard.buttons.length > 0 ? keyboard : undefined;
  noteSent(call, { peer_id: peerId }, message);
  world.emit(community, "message_reply", message, orderingKeyOf(dialog));
  return message;
}

/** https://dev.vk.com/ru/method/messages.send: `random_id` prevents duplicate sends. */
function findRepeated(
  { world, community }: GroupCall,
  dialog: Dialog,
  randomId: number,
): Message | undefined {
  if (randomId === 0) return undefined;
  const since = (world.clock.nowMs() - randomIdLifetimeMs) / 1000;
  return dialog
    .newest()
    .find(
      (message) =>
        message.random_id === randomId && message.from_id === -community.id && message.date > since,
    );
}
