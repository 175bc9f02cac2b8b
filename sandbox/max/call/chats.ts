import { opcode } from "../opcode.ts";
import { badPayload, chatDenied, notFound } from "../refusal.ts";
import { chatShape, contactShape } from "../shape.ts";
import type { Chat } from "../world/chat.ts";
import { newestFirst } from "../world/chat-list.ts";
import { changeMembers, leave } from "../world/group.ts";
import { read } from "../world/posting.ts";
import { type MemberCall, needMessageId, needNumber, needNumbers, type Operations } from "./operation.ts";
import { record } from "./sent-record.ts";

/** Dialogues and groups. */
export const chatOperations: Operations<MemberCall> = {
  [opcode.chatInfo]: { name: "CHAT_INFO", fields: ["chatIds"], run: chatInfo },
  [opcode.chatsList]: { name: "CHATS_LIST", fields: ["marker", "count"], run: listChats },
  [opcode.chatMark]: { name: "CHAT_MARK", fields: ["chatId", "messageId", "type", "mark"], run: mark },
  [opcode.chatJoin]: { name: "CHAT_JOIN", fields: ["link"], run: joinByLink },
  [opcode.chatLeave]: { name: "CHAT_LEAVE", fields: ["chatId"], run: leaveChat },
  [opcode.chatMembers]: {
    name: "CHAT_MEMBERS",
    fields: ["chatId", "type", "marker", "count"],
    run: listMembers,
  },
  [opcode.chatSubscribe]: { name: "CHAT_SUBSCRIBE", fields: ["chatId", "subscribe"], run: subscribe },
};

/** The chat of a request; throws if the person has no such chat or is not a member. */
export function needChat({ world, account, fields }: MemberCall, name = "chatId"): Chat {
  const chat = world.findChat(account, needNumber(fields, name));
  if (!chat) throw notFound("chat");
  if (!chat.participants.has(account.id)) throw chatDenied("not a participant");
  return chat;
}

export function needGroup(call: MemberCall): Chat {
  const chat = needChat(call);
  if (chat.type !== "CHAT") throw chatDenied("not a group");
  return chat;
}

function chatInfo({ world, account, fields }: MemberCall): unknown {
  const chats = needNumbers(fields, "chatIds").flatMap((id) => world.findChat(account, id) ?? []);
  const own = chats.filter(({ participants }) => participants.has(account.id));
  return { chats: own.map((chat) => chatShape(world, chat, account)) };
}

/**
 * Chats whose last event is before `marker`, newest first; the `marker` of the response is that of the next page, 0:
 * none.
 */
function listChats({ world, account, fields }: MemberCall): unknown {
  const marker = needNumber(fields, "marker");
  const count = Math.min(fields.integer("count") ?? world.settings.chatsPage, world.settings.chatsPage);
  const older = newestFirst(world, account).filter(({ lastEventTime }) => lastEventTime < marker);
  const page = older.slice(0, count);
  const next = older.length > page.length ? page.at(-1)?.lastEventTime : 0;
  return { chats: page.map((chat) => chatShape(world, chat, account)), marker: next ?? 0 };
}

function mark(call: MemberCall): unknown {
  const { world, account, session, fields } = call;
  const chat = needChat(call);
  if (fields.oneOf("type", ["READ_MESSAGE"]) === undefined) throw fields.missing("type");
  const message = chat.message(needMessageId(fields, "messageId"));
  if (!message) throw notFound("message");
  read({ world, chat, from: session }, account, needNumber(fields, "mark"));
  record(call, { method: "read", chat, message });
  return { unread: chat.unread(account.id), mark: chat.participants.get(account.id)?.mark ?? 0 };
}

/** Members, by default 50 at a time; `marker` is the cursor of the next page, 0: none. */
function listMembers(call: MemberCall): unknown {
  const { world, fields } = call;
  const chat = needGroup(call);
  if ((fields.text("type") ?? "MEMBER") !== "MEMBER") throw badPayload("type must be MEMBER");
  const from = fields.integer("marker") ?? 0;
  const count = fields.integer("count") ?? 50;
  const people = [...chat.participants];
  const members = people.slice(from, from + count).flatMap(([id, { mark: readMark }]) => {
    const member = world.accounts.get(id);
    if (!member) return [];
    const presence = { seen: Math.floor(member.lastSeenMs / 1000) };
    return [{ contact: contactShape(world, member), presence, readMark }];
  });
  return { members, marker: from + count < people.length ? from + count : 0 };
}

function joinByLink({ world, account, session, fields }: MemberCall): unknown {
  const link = fields.needText("link");
  const chat = [...world.chats.values()].find((each) => each.link?.endsWith(link) && link.includes("join/"));
  if (!chat) throw notFound("chat");
  changeMembers({ world, chat, from: session }, { operation: "add", members: [account], by: account });
  return { chat: chatShape(world, chat, account) };
}

function leaveChat(call: MemberCall): unknown {
  const { world, account, session } = call;
  leave({ world, chat: needGroup(call), from: session }, account);
  return {};
}

/** Without a subscription, typing is not reported; web clients renew it every minute for the open chat. */
function subscribe(call: MemberCall): unknown {
  const { world, session, fields } = call;
  const chat = needChat(call);
  if (fields.flag("subscribe") === true)
    session.subscriptions.set(chat.id, world.nowMs() + world.settings.subscriptionMs);
  else session.subscriptions.delete(chat.id);
  return {};
}
