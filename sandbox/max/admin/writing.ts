import { AdminError, type Fields } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Account } from "../world/account.ts";
import type { Chat, Link, Message } from "../world/chat.ts";
import { edit, post, react, read, remove, tellPresence, type, write } from "../world/posting.ts";
import type { World } from "../world/world.ts";
import { findAnywhere, findChat, findMessage } from "./chats.ts";
import { previewsOf, readContent } from "./content.ts";
import { describeMessage } from "./describe.ts";

/** The actions of a person on their phone, including the owner of a linked account. */
export function writingRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => world.account(params.needText("phone"));
  return [
    ["POST", "/people/{phone}/messages", (call) => writeMessage(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/edits", (call) => editMessage(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/deletions", (call) => deleteMessage(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/reactions", (call) => reactTo(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/reads", (call) => readChat(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/typing", (call) => typeIn(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/presence", (call) => show(world, personOf(call), call.body)],
    ["POST", "/messages", ({ body }) => writeSimply(world, body)],
    ["POST", "/load", ({ body }) => load(world, body)],
  ];
}

/**
 * `{to, kind?, text?, reply_to?, forward?, cid?, elements?, preview?, quiet?}`; `quiet`: not reported, only in the
 * history; `preview: false`: without a preview of the first address in the text.
 */
async function writeMessage(world: World, sender: Account, body: Fields, usualTo?: string): Promise<unknown> {
  const chat = findChat(world, sender, body.text("to") ?? usualTo ?? body.needText("to"));
  const content = await readContent({ world, owner: sender }, body);
  const text = body.text("text") ?? (content.length === 0 ? "Hello" : "");
  const attaches = content.length === 0 && body.flag("preview") !== false ? previewsOf(text) : content;
  const draft = {
    sender,
    text,
    attaches,
    cid: body.integer("cid") ?? world.nowMs(),
    link: linkOf(world, sender, { chat, body }),
    elements: (body.list("elements") ?? []) as Message["elements"],
  };
  const place = { world, chat };
  const message = body.flag("quiet") ? write(place, draft) : post(place, draft);
  world.changed();
  return describeMessage(world, chat, message);
}

function linkOf(
  world: World,
  sender: Account,
  { chat, body }: { chat: Chat; body: Fields },
): Link | undefined {
  const [reply, forward] = [body.text("reply_to"), body.text("forward")];
  if (reply !== undefined) return { type: "REPLY", chatId: chat.id, messageId: findMessage(chat, reply).id };
  if (forward === undefined) return undefined;
  const found = findAnywhere(world, sender, forward);
  return { type: "FORWARD", chatId: found.chat.id, messageId: found.message.id };
}

function findOwn(world: World, account: Account, body: Fields): { chat: Chat; message: Message } {
  const found = findAnywhere(world, account, body.needText("message_id"));
  if (found.message.sender === account.id) return found;
  throw new AdminError(409, "not_own", `the message is not from ${account.phone}`);
}

function editMessage(world: World, account: Account, body: Fields): unknown {
  const { chat, message } = findOwn(world, account, body);
  edit({ world, chat }, message, { text: body.needText("text"), elements: [], attaches: undefined });
  return describeMessage(world, chat, message);
}

/** For everyone; with `for_me` only for this person, which is not reported. */
function deleteMessage(world: World, account: Account, body: Fields): unknown {
  if (body.flag("for_me")) {
    const { chat, message } = findAnywhere(world, account, body.needText("message_id"));
    message.hiddenFor.add(account.id);
    return describeMessage(world, chat, message);
  }
  const { chat, message } = findOwn(world, account, body);
  remove({ world, chat }, [message]);
  return describeMessage(world, chat, message);
}

/** `emoji`: empty removes the reaction. */
function reactTo(world: World, account: Account, body: Fields): unknown {
  const { chat, message } = findAnywhere(world, account, body.needText("message_id"));
  const emoji = body.text("emoji") ?? "👍";
  react({ world, chat }, message, { account, emoji: emoji === "" ? undefined : emoji });
  return describeMessage(world, chat, message);
}

/** `{chat, message_id?}`: up to that message, or the last one. */
function readChat(world: World, account: Account, body: Fields): unknown {
  const chat = findChat(world, account, body.needText("chat"));
  const id = body.text("message_id");
  const message = id === undefined ? chat.messages.at(-1) : findMessage(chat, id);
  read({ world, chat }, account, message?.time ?? world.nowMs());
  return { mark: chat.participants.get(account.id)?.mark ?? 0 };
}

function typeIn(world: World, account: Account, body: Fields): unknown {
  const chat = findChat(world, account, body.needText("to"));
  type({ world, chat }, account, body.text("type") ?? "TEXT");
  return {};
}

/** `{online}`: the app is opened or closed. */
function show(world: World, account: Account, body: Fields): unknown {
  account.lastSeenMs = world.nowMs();
  tellPresence(world, account, body.flag("online") ?? true);
  return {};
}

/** A text, by default from the first person without a session to the first with one. */
function writeSimply(world: World, body: Fields): Promise<unknown> {
  const people = [...world.accounts.values()];
  const to = body.text("to") ?? people.find(({ sessions }) => sessions.size > 0)?.phone;
  if (to === undefined) throw new AdminError(409, "none_yet", "nobody has linked a client yet");
  const from =
    body.text("from") ?? people.find(({ sessions, phone }) => sessions.size === 0 && phone !== to)?.phone;
  return writeMessage(world, world.putAccount({ phone: from ?? "79990000111" }), body, to);
}

/** `{from, to, count, text?, quiet?}`: this many numbered texts at once, one millisecond apart. */
function load(world: World, body: Fields): unknown {
  const sender = world.account(body.needText("from"));
  const chat = findChat(world, sender, body.needText("to"));
  const [count, text] = [body.needInteger("count"), body.text("text") ?? "Message"];
  const place = { world, chat };
  const start = world.nowMs() - count;
  const ids = Array.from({ length: count }, (_, index) => {
    const draft = { sender, text: `${text} ${index + 1}`, time: start + index };
    return String((body.flag("quiet") ? write(place, draft) : post(place, draft)).id);
  });
  world.changed();
  return { count, first: ids[0] ?? null, last: ids.at(-1) ?? null };
}
