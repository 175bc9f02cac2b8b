import { stateOf } from "../channel/status.ts";
import type { ChannelFact, MessageFact, QuotedFact, StatusFact } from "./facts.ts";
import type { Event } from "./publish.ts";

/** Item of `messages` in a v3 webhook ("Message webhook item" of the interface). Pure. */
export function messageEvent(fact: MessageFact): Event {
  const body = {
    messageId: fact.messageId,
    channelId: fact.channelId,
    chatType: fact.chatType,
    chatId: fact.chatId,
    dateTime: fact.sentAt.toISOString(),
    type: fact.type,
    status: fact.status,
    ...(fact.error === null
      ? {}
      : { error: { error: fact.error.code, description: fact.error.description } }),
    ...given("text", fact.text),
    ...given("contentUri", fact.contentUri),
    ...(fact.isEcho ? given("authorName", fact.authorName) : {}),
    ...given("authorId", fact.authorId),
    isEcho: fact.isEcho,
    contact: {
      name: fact.contact.name,
      ...given("username", fact.contact.username),
      ...given("phone", fact.contact.phone),
    },
    ...(fact.sender === null ? {} : { sender: fact.sender }),
    ...(fact.interactive.length === 0 ? {} : { interactive: fact.interactive }),
    ...(fact.quoted === null ? {} : { quotedMessage: quotedItem(fact, fact.quoted) }),
    ...(fact.isEdited ? { isEdited: true } : {}),
    ...(fact.isDeleted ? { isDeleted: true } : {}),
    ...(fact.oldInfo === null ? {} : { oldInfo: fact.oldInfo }),
  };
  return {
    accountId: fact.accountId,
    kind: "messages",
    channelId: fact.channelId,
    chat: fact.chat,
    subject: fact.messageId,
    body,
  };
}

function quotedItem(fact: MessageFact, quoted: QuotedFact): object {
  return {
    messageId: quoted.messageId,
    channelId: fact.channelId,
    chatType: fact.chatType,
    chatId: fact.chatId,
    ...(quoted.sentAt === null ? {} : { dateTime: quoted.sentAt.toISOString() }),
    type: quoted.type,
    ...given("status", quoted.status),
    ...given("text", quoted.text),
    ...given("contentUri", quoted.contentUri),
    ...(quoted.isEcho ? given("authorName", quoted.authorName) : {}),
    isEcho: quoted.isEcho,
  };
}

/** Item of `statuses` in a v3 webhook ("Status webhook item"). Pure. */
export function statusEvent(fact: StatusFact): Event {
  const error =
    fact.error === null
      ? {}
      : {
          error: {
            error: fact.error.code,
            description: fact.error.description,
            ...given("data", fact.error.data ?? null),
          },
        };
  return {
    accountId: fact.accountId,
    kind: "statuses",
    channelId: fact.channelId,
    chat: fact.chat,
    subject: fact.messageId,
    body: { messageId: fact.messageId, timestamp: fact.at.toISOString(), status: fact.status, ...error },
  };
}

/**
 * A channel's change as its three events: `channelsUpdates` of v3, `channel.status_update` of v2, and
 * `channel.qr_update` of v2 when there is a QR code. Pure.
 */
export function channelEvents(fact: ChannelFact): Event[] {
  const { status, reason } = fact.status;
  const base = {
    accountId: fact.accountId,
    channelId: fact.channelId,
    chat: fact.channelId,
    subject: fact.channelId,
  };
  const qr = fact.qr === null ? {} : { qr: fact.qr };
  const update = {
    channelId: fact.channelId,
    state: stateOf(fact.status),
    ...qr,
    timestamp: fact.at.getTime(),
  };
  const events: Event[] = [
    { ...base, kind: "channelsUpdates", body: update },
    {
      ...base,
      kind: "channel.status_update",
      body: {
        channel_id: fact.channelId,
        transport: fact.transport,
        status,
        reason,
        name: fact.name,
        phone: fact.phone,
        username: fact.username,
      },
    },
  ];
  if (fact.qr === null) return events;
  const drawn = { channel_id: fact.channelId, platform: fact.transport, qr_code: fact.qr };
  return [...events, { ...base, kind: "channel.qr_update", body: drawn }];
}

function given<K extends string, V>(key: K, value: V | null): { [k in K]?: V } {
  return value === null ? {} : ({ [key]: value } as { [k in K]: V });
}
