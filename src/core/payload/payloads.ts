import { stateOf } from "../channel-status.ts";
import { reportedStatus } from "../transport/message.ts";
import type { Event } from "./event.ts";
import type { ChannelFact, MessageFact, StatusFact, TemplateFact } from "./facts.ts";
import { contactItem, detailItems, given, quotedItem } from "./quoted.ts";
import {
  aboutChannel,
  channelV2Event,
  messageV2Event,
  qrEvent,
  restrictionItems,
  statusV2Event,
  templateV2Event,
  tierEvent,
} from "./v2-payloads.ts";
import type { ChannelItem, MessageItem, StatusItem, TemplateItem } from "./v3-shapes.ts";

/** The events of a new, edited or deleted message, in both versions. Pure, like all functions below. */
export function messageEvents(fact: MessageFact, isNew = false): Event[] {
  return [messageEvent(fact), messageV2Event(fact, isNew)];
}

/** The events of an outgoing message that was edited in the messenger itself: a status in v3, an edit in v2. */
export function editedElsewhereEvents(fact: MessageFact, status: StatusFact): Event[] {
  return [statusEvent(status), messageV2Event(fact)];
}

export function statusEvents(fact: StatusFact): Event[] {
  return [statusEvent(fact), statusV2Event(fact)];
}

/** Item of `messages` in a v3 webhook ("Message webhook item" of the interface). */
function messageEvent(fact: MessageFact): Event {
  const body: MessageItem = {
    messageId: fact.messageId,
    channelId: fact.channelId,
    chatType: fact.chatType,
    chatId: fact.chatId,
    dateTime: fact.sentAt.toISOString(),
    type: fact.type,
    status: reportedStatus(fact.status),
    ...given("text", fact.text),
    ...given("contentUri", fact.contentUri),
    ...(fact.isEcho ? given("authorName", fact.authorName) : {}),
    isEcho: fact.isEcho,
    contact: contactItem(fact.contact),
    ...detailItems(fact),
    ...(fact.quoted === null ? {} : { quotedMessage: quotedItem(fact, fact.quoted) }),
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

/** Item of `statuses` in a v3 webhook ("Status webhook item"). */
function statusEvent(fact: StatusFact): Event {
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
  const body: StatusItem = {
    messageId: fact.messageId,
    timestamp: fact.at.toISOString(),
    status: fact.status,
    ...error,
  };
  return {
    accountId: fact.accountId,
    kind: "statuses",
    channelId: fact.channelId,
    chat: fact.chat,
    subject: fact.messageId,
    body,
  };
}

/**
 * The events of a channel's new status: `channelsUpdates` of v3, `channel.status_update` of v2 and, with a QR code,
 * `channel.qr_update` of v2.
 */
export function channelEvents(fact: ChannelFact): Event[] {
  const events = [channelUpdate(fact), channelV2Event("channel.status_update", fact)];
  return fact.qr === null ? events : [...events, qrEvent({ ...fact, qr: fact.qr })];
}

/** The channel has a new QR code; nothing else has changed. */
export function newQrEvents(fact: ChannelFact & { readonly qr: string }): Event[] {
  return [channelUpdate(fact), qrEvent(fact)];
}

/** The channel's name, phone or username has changed; v3 has no fields for them. */
export function renamedChannelEvents(fact: ChannelFact): Event[] {
  return [channelV2Event("channel.status_update", fact)];
}

/** The channel's phone has become unavailable or available again; v2 has no field for that. */
export function phoneEvents(fact: ChannelFact): Event[] {
  return [channelUpdate(fact)];
}

/** The tier of a WhatsApp Business Platform channel has changed. */
export function tierEvents(fact: ChannelFact): Event[] {
  return [channelUpdate(fact), tierEvent(fact)];
}

/** Item of `channelsUpdates` in a v3 webhook ("Channel update item"). */
function channelUpdate(fact: ChannelFact): Event {
  const state = stateOf(fact.status, fact.phoneUnavailable);
  const body: ChannelItem = {
    channelId: fact.channelId,
    state,
    ...given("tier", fact.tier),
    ...given("qr", fact.qr),
    ...(state === "qridle" ? { qridle: "qridle" as const } : {}),
    ...restrictionItems(fact),
    timestamp: fact.at.getTime(),
  };
  return { ...aboutChannel(fact), kind: "channelsUpdates", body };
}

/** The result of a template's moderation, in both versions. */
export function templateEvents(fact: TemplateFact): Event[] {
  const { templateId, name, status } = fact;
  const body: TemplateItem = { templateGuid: templateId, name, status };
  return [
    { ...aboutChannel(fact), kind: "templateStatus", subject: templateId, body },
    templateV2Event(fact),
  ];
}
