import { readElements } from "../attach/elements.ts";
import { readAttaches } from "../attach/read.ts";
import { opcode } from "../opcode.ts";
import { badPayload, chatDenied, notFound, Refusal, restricted } from "../refusal.ts";
import { chatShape, messageShape } from "../shape.ts";
import type { Chat, Link, Message } from "../world/chat.ts";
import { control } from "../world/group.ts";
import { edit, post, remove, tellChat, type } from "../world/posting.ts";
import { needChat } from "./chats.ts";
import { invitable } from "./groups.ts";
import { countAgainst } from "./login.ts";
import {
  type MemberCall,
  needMessageId,
  needMessageIds,
  needNumber,
  needNumbers,
  type Operations,
  strictFields,
} from "./operation.ts";
import { needMessage, record } from "./sent-record.ts";

/** Public tools delete at most ten at once; the platform's limit is unknown. */
const mostDeleted = 100;
const typingTypes = ["TEXT", "AUDIO", "VIDEO", "FILE", "PHOTO", "STICKER"];

/** Sending, editing and deleting messages. */
export const writingOperations: Operations<MemberCall> = {
  [opcode.msgSend]: { name: "MSG_SEND", fields: ["chatId", "userId", "message", "notify"], run: send },
  [opcode.msgTyping]: { name: "MSG_TYPING", fields: ["chatId", "type"], run: typing },
  [opcode.msgDelete]: {
    name: "MSG_DELETE",
    fields: ["chatId", "messageIds", "forMe", "itemType"],
    run: deleteMessages,
  },
  [opcode.msgEdit]: {
    name: "MSG_EDIT",
    fields: ["chatId", "messageId", "text", "elements", "attachments"],
    run: editMessage,
  },
};

const messageFields = ["text", "cid", "elements", "attaches", "link", "type", "detectShare", "isLive"];

/** A `cid` that this person has already used in the chat returns the message sent then. */
function send(call: MemberCall): unknown {
  const { world, account, session, fields } = call;
  const message = strictFields(fields.raw("message"), messageFields, "message.");
  const cid = needNumber(message, "cid");
  fields.flag("notify");
  const attaches = message.list("attaches") ?? [];
  if (!fields.has("chatId") && !fields.has("userId")) return createGroup(call, attaches);
  const chat = fields.has("chatId") ? needChat(call) : dialogWith(call);
  const known = chat.sentAs(account.id, cid);
  if (known) {
    record(call, { method: "send", chat, message: known, repeated: true });
    return sent(call, chat, known);
  }
  countAgainst(world, `send:${account.id}`, { perMinute: world.flood?.sendsPerMinute });
  checkMaySend(call, chat);
  const text = checkedText(call, message.text("text") ?? "");
  const draft = {
    sender: account,
    cid,
    text,
    elements: readElements(message.list("elements") ?? [], text),
    attaches: readAttaches(call, attaches),
    link: readLink(call, message.raw("link"), chat),
  };
  if (text === "" && draft.attaches.length === 0 && !draft.link) throw badPayload("an empty message");
  const posted = post({ world, chat, from: session }, draft);
  record(call, { method: "send", chat, message: posted });
  return sent(call, chat, posted);
}

function sent({ world, account }: MemberCall, chat: Chat, message: Message): unknown {
  return {
    chatId: chat.id,
    message: messageShape(world, message, account),
    unread: chat.unread(account.id),
    mark: message.time,
    ...(chat.messages.length === 1 && { chat: chatShape(world, chat, account) }),
  };
}

function dialogWith({ world, account, fields }: MemberCall): Chat {
  const other = world.accounts.get(needNumber(fields, "userId"));
  if (!other) throw notFound("user");
  return world.dialog(account, other);
}

/** A message without a chat whose only attachment is `new` creates a group. */
function createGroup(call: MemberCall, attaches: readonly unknown[]): unknown {
  const { world, account, session } = call;
  const known = ["_type", "event", "chatType", "title", "userIds"];
  const attach = strictFields(attaches[0], known, "attaches.");
  if (attaches.length !== 1 || attach.text("_type") !== "CONTROL" || attach.text("event") !== "new")
    throw badPayload("field chatId is missing");
  if (attach.text("chatType") !== "CHAT") throw badPayload("chatType must be CHAT");
  countAgainst(world, `send:${account.id}`, { perMinute: world.flood?.sendsPerMinute });
  if (account.restrictedUntilMs > world.nowMs()) throw restricted();
  const members = invitable(call, needNumbers(attach, "userIds"));
  const chat = world.addGroup({ title: attach.needText("title"), owner: account, members });
  const userIds = members.map(({ id }) => id);
  control(
    { world, chat, from: session },
    { by: account, event: "new", fields: { title: chat.title, userIds } },
  );
  tellChat({ world, chat, from: session });
  const message = chat.messages.at(-1);
  return { ...(message && (sent(call, chat, message) as object)), chat: chatShape(world, chat, account) };
}

function checkMaySend({ world, account }: MemberCall, chat: Chat): void {
  const others = [...chat.participants.keys()].filter((id) => id !== account.id);
  const other = chat.type === "DIALOG" ? world.accounts.get(others[0] ?? 0) : undefined;
  if (other?.blocks.has(account.id)) throw chatDenied("blocked by the other side");
  const isFirst = other !== undefined && !chat.messages.some(({ sender }) => sender === other.id);
  if (isFirst && account.restrictedUntilMs > world.nowMs()) throw restricted();
}

function checkedText({ world }: MemberCall, text: string): string {
  if (text.length <= world.settings.textLimit) return text;
  throw new Refusal("error.message.too.long", "the text is too long", "Слишком длинное сообщение");
}

function readLink(call: MemberCall, value: unknown, chat: Chat): Link | undefined {
  if (value === undefined) return undefined;
  const fields = strictFields(value, ["type", "messageId", "chatId"], "link.");
  const kind = fields.oneOf("type", ["REPLY", "FORWARD"]);
  if (kind === undefined) throw fields.missing("type");
  const source = kind === "REPLY" ? chat : call.world.findChat(call.account, needNumber(fields, "chatId"));
  const messageId = needMessageId(fields, "messageId");
  if (!source?.message(messageId)) throw notFound("linked message");
  return { type: kind, chatId: source.id, messageId };
}

function typing(call: MemberCall): unknown {
  const { world, account, session, fields } = call;
  const chat = needChat(call);
  const kind = fields.oneOf("type", typingTypes) ?? "TEXT";
  type({ world, chat, from: session }, account, kind);
  record(call, { method: "typing", chat });
  return {};
}

/** Omitted `attachments` keep the files; an empty list removes them. */
function editMessage(call: MemberCall): unknown {
  const { world, account, session, fields } = call;
  const chat = needChat(call);
  const message = needMessage(call, chat);
  if (message.sender !== account.id) throw chatDenied("not one's own message");
  if (world.nowMs() - message.time > world.settings.editWindowMs)
    throw new Refusal("message.edit.timeout", "too late to edit", "Сообщение больше нельзя изменить");
  const text = checkedText(call, fields.text("text") ?? "");
  const values = fields.list("attachments");
  const attaches = values && readAttaches(call, values);
  if (text === "" && (attaches ?? message.attaches).length === 0) throw badPayload("an empty message");
  const elements = readElements(fields.list("elements") ?? [], text);
  edit({ world, chat, from: session }, message, { text, elements, attaches });
  record(call, { method: "edit", chat, message });
  return { message: messageShape(world, message, account) };
}

/** For everyone: own messages only; administrators of a group may delete all. */
function deleteMessages(call: MemberCall): unknown {
  const { world, account, session, fields } = call;
  const chat = needChat(call);
  const ids = needMessageIds(fields, "messageIds");
  if (ids.length > mostDeleted) throw badPayload(`at most ${mostDeleted} messageIds`);
  const messages = ids.flatMap((id) => chat.message(id) ?? []).filter(({ status }) => status !== "REMOVED");
  if (messages.length === 0) throw notFound("message");
  if (fields.flag("forMe") === true) for (const { hiddenFor } of messages) hiddenFor.add(account.id);
  else {
    const mayAll = chat.admins.has(account.id);
    if (!mayAll && messages.some(({ sender }) => sender !== account.id))
      throw chatDenied("not one's own message");
    remove({ world, chat, from: session }, messages);
  }
  for (const message of messages) record(call, { method: "delete", chat, message });
  world.changed();
  return {};
}
