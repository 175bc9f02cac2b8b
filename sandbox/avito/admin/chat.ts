import { AdminError, type Fields, invalid, missing } from "../../http/fields.ts";
import { fileJson } from "../../http/file-json.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { announce } from "../announce.ts";
import { avitoId, type Chat, chatTypes, noticeAuthorId, type StoredMessage } from "../chat.ts";
import { eraseMessage } from "../method/message.ts";
import { addMessage } from "../outgoing.ts";
import { chatShape, messageShape } from "../shape.ts";
import type { World } from "../world.ts";
import { readWords } from "./content.ts";

type ChatHandler = (chat: Chat, body: Fields) => unknown;

/** The actions of buyers in a chat, of the seller in Avito's own application, and of Avito. */
export function chatRoutes(world: World): AdminRoute[] {
  const chatOf = ({ params }: AdminCall) => world.chat(params.needText("chat_id"));
  const actions: Readonly<Record<string, ChatHandler>> = {
    messages: (chat, body) => write(world, chat, body),
    echoes: async (chat, body) => written(world, chat, chat.account.id, await readWords(world, chat, body)),
    system: (chat, body) => writeSystem(world, chat, body),
    reads: (chat) => readAll(world, chat),
    deletions: (chat, body) => remove(world, chat, body),
    blocks: (chat) => setBlocked(world, chat, true),
    unblocks: (chat) => setBlocked(world, chat, false),
  };
  return [
    ["POST", "/chats", ({ body }) => describeChat(world, addChat(world, body))],
    ["GET", "/chats", () => ({ items: [...world.chats.values()].map((chat) => describeChat(world, chat)) })],
    ["GET", "/chats/{chat_id}", (call) => describeChat(world, chatOf(call))],
    ["GET", "/files/{file_id}", (call) => readFile(world, call)],
    ["GET", "/chats/{chat_id}/messages", (call) => listMessages(chatOf(call))],
    ...Object.entries(actions).map(([name, handler]): AdminRoute => {
      return ["POST", `/chats/{chat_id}/${name}`, (call) => handler(chatOf(call), call.body)];
    }),
    ["POST", "/messages", ({ body }) => write(world, firstChat(world, body), body)],
  ];
}

/**
 * `{account_id?, user_id?, item_id?, type?}`: the first of each by default; `item_id: null` and other types have no
 * listing.
 */
function addChat(world: World, body: Fields): Chat {
  const type = chatTypes.find((known) => known === (body.text("type") ?? "u2i"));
  if (!type) throw invalid("type", "u2i, u2u or a2u");
  const account = world.account(body.integer("account_id") ?? [...world.accounts.keys()][0] ?? 0);
  const user = world.user(body.integer("user_id") ?? [...world.users.keys()][0] ?? 0);
  const own = [...world.items.values()].find(({ userId }) => userId === account.id);
  const itemId = body.integer("item_id") ?? own?.id;
  const item = type === "u2i" && itemId !== undefined ? world.item(itemId) : undefined;
  return world.openChat({ type, account, user, item });
}

function describeChat(world: World, chat: Chat): unknown {
  const { type, account, user, item, blocked } = chat;
  return {
    ...chatShape(world, chat),
    type,
    account_id: account.id,
    user_id: user.id,
    item_id: item?.id ?? null,
    blocked,
    unread: chat.hasUnread,
  };
}

/** The chat as both see it. */
function listMessages(chat: Chat): unknown {
  return { blocked: chat.blocked, items: chat.newest().reverse().map(messageShape) };
}

/** The bytes of a voice message. */
function readFile(world: World, { params }: AdminCall): Promise<object> {
  const id = params.needText("file_id");
  const media = world.media.find(id);
  if (!media) throw missing("file", id);
  return fileJson(world.media.blobs, media);
}

/** The buyer writes. */
async function write(world: World, chat: Chat, body: Fields): Promise<unknown> {
  if (chat.blocked)
    throw new AdminError(409, "blocked", "the buyer has blocked the account; unblock it first");
  if (chat.account.blacklist.has(chat.user.id))
    throw new AdminError(409, "blacklisted", "the account has put the buyer on its blacklist");
  const isFirst = chat.newest().every(({ authorId }) => authorId !== chat.user.id);
  const answer = written(world, chat, chat.user.id, await readWords(world, chat, body));
  if (isFirst && world.settings.notices) addMessage(world, chat, noticeAuthorId, notice);
  return answer;
}

const notice = {
  type: "system",
  content: { text: "Reply soon: buyers like quick sellers", flow_id: "sbc_seller_notification" },
};

function written(world: World, chat: Chat, authorId: number, words: Awaited<ReturnType<typeof readWords>>) {
  const { message, callbacks } = addMessage(world, chat, authorId, words);
  return { chat_id: chat.id, message: messageShape(message), callbacks };
}

/** `{text?, flow_id?}`: Avito itself writes. */
function writeSystem(world: World, chat: Chat, body: Fields): unknown {
  const text = body.text("text") ?? "Avito";
  const content = { text, flow_id: body.text("flow_id") ?? "seller_audience_discount" };
  return written(world, chat, avitoId, { type: "system", content });
}

/** The buyer reads everything. Not reported; the account sees it when it queries the chat. */
function readAll(world: World, chat: Chat): unknown {
  const read = chat.markRead("out", world.clock.now());
  world.changed();
  return { message_ids: read.map(({ id }) => id) };
}

/** `{message_id}`: the buyer deletes a message of theirs. */
function remove(world: World, chat: Chat, body: Fields): unknown {
  const message = ownMessage(chat, body.needText("message_id"));
  eraseMessage(message);
  world.changed();
  const callbacks = world.settings.tellDeletions ? announce(world, chat, message) : 0;
  return { message: messageShape(message), callbacks };
}

function ownMessage(chat: Chat, id: string): StoredMessage {
  const message = chat.get(id);
  if (message?.authorId === chat.user.id) return message;
  throw missing("message of the buyer", id);
}

function setBlocked(world: World, chat: Chat, blocked: boolean): unknown {
  chat.blocked = blocked;
  world.changed();
  return { blocked };
}

/** The requested chat, or the first. */
function firstChat(world: World, body: Fields): Chat {
  const id = body.text("chat_id") ?? [...world.chats.keys()][0];
  return id === undefined ? addChat(world, body) : world.chat(id);
}
