import { proto } from "baileys/WAProto/index.js";
import { AdminError, type Fields, invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { StoredMessage } from "../chat/conversation.ts";
import { sealEdit, secretOf } from "../chat/sealed-edit.ts";
import { addressOf, write } from "../chat/write.ts";
import type { Group } from "../group.ts";
import type { Addressing, Person, Writing } from "../person/person.ts";
import { isGroupJid } from "../wire/jid.ts";
import { node } from "../wire/node.ts";
import type { World } from "../world.ts";
import { readContent } from "./content.ts";

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/** Writing, editing, deleting and reacting. */
export function writingRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => world.person(params.needText("phone"));
  return [
    ["POST", "/people/{phone}/messages", (call) => writeMessage(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/edits", (call) => editMessage(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/deletions", (call) => deleteMessage(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/reactions", (call) => react(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/typing", (call) => type(world, personOf(call), call.body)],
    ["POST", "/messages", ({ body }) => writeSimply(world, body)],
  ];
}

async function writeMessage(world: World, from: Person, body: Fields, usualTo?: string): Promise<unknown> {
  const to = findChat(world, body.text("to") ?? usualTo ?? body.needText("to"));
  if ("members" in to && !to.members.has(from.phone))
    throw new AdminError(409, "not_a_member", `${from.phone} is not in ${to.id}`);
  const content = await readContent(body, { world, from, context: quoteOf(world, from, to, body) });
  const id = body.text("message_id") ?? world.newMessageId();
  return send(world, from, {
    id,
    to,
    message: { ...content, messageContextInfo: { messageSecret: secretOf(id) } },
    addressing: readAddressing(body),
    corrupt: body.flag("corrupt") ?? false,
    withheld: body.text("kind") === "view_once",
    unrepeatable: body.flag("repeatable") === false,
    list: body.text("list"),
  });
}

/** `plain`: in the format of phones before May 2026. */
function editMessage(world: World, from: Person, body: Fields): unknown {
  const { target, to } = findOwn(world, from, body);
  const text = body.needText("text");
  const hasFile =
    target.content.imageMessage ?? target.content.videoMessage ?? target.content.documentMessage;
  const editedMessage = hasFile ? captioned(target.content, text) : { conversation: text };
  const key = keyOf(world, from, { to, target });
  const message = {
    protocolMessage: { key, type: MESSAGE_EDIT, editedMessage, timestampMs: world.nowMs() },
  };
  const { addressing, ...rest } = change(world, to, body);
  const author = "members" in to || addressing !== "pn" ? from.lidJid : from.jid;
  const sealed = body.flag("plain") === true ? undefined : sealEdit(message, key, author);
  return send(world, from, { ...rest, addressing, message, sealed, edit: "1" });
}

/** Own messages; as an admin of a group, all messages. */
function deleteMessage(world: World, from: Person, body: Fields): unknown {
  const { target, to } = findAny(world, from, body);
  const isOwn = target.from === from.phone;
  const isAdmin = "members" in to && to.members.get(from.phone) !== undefined;
  if (!isOwn && !isAdmin) throw notOwn();
  const message = { protocolMessage: { key: keyOf(world, from, { to, target }), type: REVOKE } };
  return send(world, from, { ...change(world, to, body), message, edit: isOwn ? "7" : "8" });
}

/** `emoji`: empty removes the reaction. Any message can be reacted to. */
function react(world: World, from: Person, body: Fields): unknown {
  const { target, to } = findAny(world, from, body);
  const reactionMessage = {
    key: keyOf(world, from, { to, target }),
    text: body.text("emoji") ?? "👍",
    senderTimestampMs: world.nowMs(),
  };
  return send(world, from, { ...change(world, to, body), message: { reactionMessage } });
}

/** `state`: `composing` (default), `recording` or `paused`. */
function type(world: World, from: Person, body: Fields): unknown {
  const to = world.person(body.needText("to"));
  const state = body.text("state") ?? "composing";
  const content =
    state === "recording"
      ? node("composing", { media: "audio" })
      : node(state === "paused" ? "paused" : "composing");
  for (const companion of to.companions.values())
    companion.tell(node("chatstate", { from: from.jid }, [content]));
  return {};
}

/** A text, by default from the first person without linked devices to the first with one. */
function writeSimply(world: World, body: Fields): Promise<unknown> {
  const people = [...world.people.values()];
  const to = body.text("to") ?? people.find(({ companions }) => companions.size > 0)?.phone;
  if (to === undefined) throw new AdminError(409, "none_yet", "no phone has a linked device yet");
  const from =
    body.text("from") ?? people.find(({ companions, phone }) => companions.size === 0 && phone !== to)?.phone;
  const writer = world.putPerson({ phone: from ?? "79990000111" });
  return writeMessage(world, writer, body, to);
}

function send(world: World, from: Person, writing: Writing): unknown {
  const targets = write(world, from, writing);
  return {
    message_id: writing.id,
    chat: "members" in writing.to ? writing.to.id : writing.to.phone,
    delivered_to: targets.map(({ person, device, isReady }) => ({
      phone: person.phone,
      device,
      online: isReady,
    })),
  };
}

function change(world: World, to: Person | Group, body: Fields) {
  return { id: world.newMessageId(), to, addressing: readAddressing(body) };
}

/** `to` is a phone number or the id of a group. */
function findChat(world: World, to: string): Person | Group {
  return isGroupJid(to) ? world.group(to) : world.person(to);
}

function readAddressing(body: Fields): Addressing {
  const addressing = body.text("addressing") ?? "pn";
  if (addressing === "pn" || addressing === "lid" || addressing === "lid_only") return addressing;
  throw invalid("addressing", '"pn", "lid" or "lid_only"');
}

interface Found {
  readonly target: StoredMessage;
  readonly to: Person | Group;
}

/** A message of this phone by its id; `to` names the conversation if it is ambiguous. */
function findAny(world: World, person: Person, body: Fields): Found {
  const id = body.needText("message_id");
  const chat = body.text("to") ?? [...person.chats].find(([, conversation]) => conversation.get(id))?.[0];
  const target = chat === undefined ? undefined : person.chats.get(chat)?.get(id);
  if (chat === undefined || !target) throw missing("message", id);
  return { target, to: findChat(world, chat) };
}

function findOwn(world: World, person: Person, body: Fields): Found {
  const found = findAny(world, person, body);
  if (found.target.from === person.phone) return found;
  throw notOwn();
}

function notOwn(): AdminError {
  return new AdminError(409, "not_own", "only the author changes a message");
}

/** The key of a message, from the author's point of view. */
function keyOf(world: World, from: Person, { to, target }: Found): proto.IMessageKey {
  const author = world.people.get(target.from);
  const participant = "members" in to && author ? { participant: author.lidJid } : {};
  return { remoteJid: addressOf(to), fromMe: target.from === from.phone, id: target.id, ...participant };
}

/** `reply_to`: the id of a message in the same conversation. */
function quoteOf(
  world: World,
  from: Person,
  to: Person | Group,
  body: Fields,
): proto.IContextInfo | undefined {
  const id = body.text("reply_to");
  if (id === undefined) return undefined;
  const quoted = from.chats.get("members" in to ? to.id : to.phone)?.get(id);
  if (!quoted) throw missing("message", id);
  const author = world.people.get(quoted.from);
  return { stanzaId: id, participant: author?.jid ?? null, quotedMessage: quoted.content };
}

function captioned(content: proto.IMessage, caption: string): proto.IMessage {
  const { imageMessage, videoMessage, documentMessage } = content;
  if (imageMessage) return { imageMessage: { ...imageMessage, caption } };
  if (videoMessage) return { videoMessage: { ...videoMessage, caption } };
  return { documentWithCaptionMessage: { message: { documentMessage: { ...documentMessage, caption } } } };
}
