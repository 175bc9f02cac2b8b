import type { Static } from "typebox";
import { restrictionItem } from "../channel-restrictions.ts";
import type { Event } from "./event.ts";
import type {
  ChannelFact,
  ExportFact,
  HistoryFact,
  MessageFact,
  PhonesFact,
  StatusFact,
  TemplateFact,
} from "./facts.ts";
import { given } from "./quoted.ts";
import { messageV2Item } from "./v2-message-item.ts";
import type {
  ChannelItem,
  exportItem,
  historyItem,
  phonesItem,
  qrItem,
  StatusItem,
  templateEventItem,
  tierItem,
} from "./v2-shapes.ts";

/**
 * The event of a message by its latest change: added, edited or deleted. A new one is added, though it may be edited or
 * deleted already. Pure, like all functions below.
 */
export function messageV2Event(fact: MessageFact, isNew = false): Event {
  return {
    accountId: fact.accountId,
    kind: isNew
      ? "message.add"
      : fact.isDeleted
        ? "message.delete"
        : fact.isEdited
          ? "message.edit"
          : "message.add",
    channelId: fact.channelId,
    chat: fact.chat,
    subject: fact.messageId,
    body: messageV2Item(fact),
  };
}

/** `message.status_update`. An edit is no status in v2, see `messageV2Event`. */
export function statusV2Event(fact: StatusFact): Event {
  const body: StatusItem = {
    message_id: fact.messageId,
    request_id: fact.requestId,
    channel_id: fact.channelId,
    status: fact.status,
    reason: fact.error?.code ?? null,
    ...given("description", fact.error?.description ?? null),
  };
  return {
    accountId: fact.accountId,
    kind: "message.status_update",
    channelId: fact.channelId,
    chat: fact.chat,
    subject: fact.messageId,
    body,
  };
}

type ChannelEvent = "channel.create" | "channel.delete" | "channel.status_update";

/** An event of a channel with all its fields. */
export function channelV2Event(kind: ChannelEvent, fact: ChannelFact): Event {
  const body: ChannelItem = {
    channel_id: fact.channelId,
    transport: fact.transport,
    status: fact.status.status,
    reason: fact.status.reason,
    name: fact.name,
    phone: fact.phone,
    username: fact.username,
    ...restrictionItems(fact),
    ...(fact.passwordHint === undefined ? {} : { password_hint: fact.passwordHint }),
    ...(fact.compareCode === undefined ? {} : { compare_code: fact.compareCode }),
    ...(fact.passkeyProblem === undefined ? {} : { passkey_problem: fact.passkeyProblem }),
  };
  return { ...aboutChannel(fact), kind, body };
}

/** In the spelling of both versions; absent if there are none and none has ended now. */
export function restrictionItems({ restrictions }: Pick<ChannelFact, "restrictions">) {
  return restrictions === undefined ? {} : { restrictions: restrictions.map(restrictionItem) };
}

/** The channel has a new QR code. */
export function qrEvent(fact: ChannelFact & { readonly qr: string }): Event {
  const body: Static<typeof qrItem> = {
    channel_id: fact.channelId,
    platform: fact.transport,
    qr_code: fact.qr,
  };
  return { ...aboutChannel(fact), kind: "channel.qr_update", body };
}

/** The tier of a WhatsApp Business Platform channel has changed. */
export function tierEvent(fact: ChannelFact): Event {
  const body: Static<typeof tierItem> = { channel_id: fact.channelId, tier: fact.tier };
  return { ...aboutChannel(fact), kind: "channel.waba_tier_update", body };
}

/** Account, ordering key and subject of an event of a channel. */
export function aboutChannel({
  accountId,
  channelId,
}: Pick<ChannelFact, "accountId" | "channelId">): Omit<Event, "kind" | "body"> {
  return { accountId, channelId, chat: channelId, subject: channelId };
}

export function templateV2Event({ templateId, name, status, ...channel }: TemplateFact): Event {
  const body: Static<typeof templateEventItem> = {
    template_id: templateId,
    channel_id: channel.channelId,
    name,
    status,
  };
  return {
    ...aboutChannel(channel),
    kind: "waba_template.status_update",
    subject: templateId,
    body,
  };
}

/** `channel.history` */
export function historyEvent(fact: HistoryFact): Event {
  const body: Static<typeof historyItem> = {
    channel_id: fact.channelId,
    transport: fact.transport,
    status: fact.status,
    progress: fact.progress,
    messages: fact.messages,
    is_cut: fact.isCut,
    since: fact.since.getTime(),
    until: fact.until.getTime(),
    timestamp: fact.at.getTime(),
  };
  return { ...aboutChannel(fact), kind: "channel.history", body };
}

/** `phones.checked` */
export function phonesEvent(fact: PhonesFact): Event {
  const body: Static<typeof phonesItem> = {
    check_id: fact.checkId,
    channel_id: fact.channelId,
    transport: fact.transport,
    phones: fact.phones.map(({ phone, exists, chatType, chatId, username }) => ({
      phone,
      exists,
      chat_type: chatType,
      chat_id: chatId,
      username,
    })),
    waiting: fact.waiting,
    timestamp: fact.at.getTime(),
  };
  return { ...aboutChannel(fact), kind: "phones.checked", body };
}

/** `messages_dump.status_update` */
export function exportEvent({ accountId, exportId, status, url }: ExportFact): Event {
  const body: Static<typeof exportItem> = { export_id: exportId, status, url };
  return {
    accountId,
    kind: "messages_dump.status_update",
    channelId: null,
    chat: exportId,
    subject: exportId,
    body,
  };
}
