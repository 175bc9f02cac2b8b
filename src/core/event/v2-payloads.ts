import type { ChannelFact, ExportFact, MessageFact, StatusFact, TemplateFact } from "./facts.ts";
import type { Event } from "./publish.ts";

/** Which event a message is: what happened to it last. Pure, like all below. */
export function messageV2Event(fact: MessageFact): Event {
  return {
    accountId: fact.accountId,
    kind: fact.isDeleted ? "message.delete" : fact.isEdited ? "message.edit" : "message.add",
    channelId: fact.channelId,
    chat: fact.chat,
    subject: fact.messageId,
    body: {
      message_id: fact.messageId,
      channel_id: fact.channelId,
      direction: fact.status === "inbound" ? "inbound" : "outbound",
      timestamp: fact.sentAt.getTime(),
      status: fact.status,
      crm_user_id: fact.authorId,
      recipient: {
        chat_id: fact.chatId,
        chat_type: fact.chatType,
        name: fact.contact.name,
        username: fact.contact.username,
        phone: fact.contact.phone,
      },
      text: fact.text,
      attachment: attachmentOf(fact),
      ...(fact.sender === null ? {} : { sender: fact.sender }),
      ...(fact.isEdited ? { is_edited: true } : {}),
      ...(fact.isDeleted ? { is_deleted: true } : {}),
      ...(fact.oldInfo === null ? {} : { old_info: oldInfoOf(fact.oldInfo) }),
    },
  };
}

function attachmentOf({ contentUri, file }: MessageFact): object | null {
  if (contentUri === null) return null;
  return { url: contentUri, name: file.name, mimetype: file.mimeType, size: file.size };
}

function oldInfoOf({ oldText, oldAuthorId, oldAuthorName }: NonNullable<MessageFact["oldInfo"]>): object {
  return {
    old_text: oldText ?? null,
    old_author_id: oldAuthorId ?? null,
    old_author_name: oldAuthorName ?? null,
  };
}

/** `message.status_update`; an edit is no status of v2, see `messageV2Event`. */
export function statusV2Event(fact: StatusFact): Event {
  return {
    accountId: fact.accountId,
    kind: "message.status_update",
    channelId: fact.channelId,
    chat: fact.chat,
    subject: fact.messageId,
    body: {
      message_id: fact.messageId,
      request_id: fact.requestId,
      channel_id: fact.channelId,
      status: fact.status,
      reason: fact.error?.code ?? null,
    },
  };
}

type ChannelEvent = "channel.create" | "channel.delete" | "channel.status_update";

/** What happened to a channel, with all that can be said of it. */
export function channelV2Event(kind: ChannelEvent, fact: ChannelFact): Event {
  return {
    ...aboutChannel(fact),
    kind,
    body: {
      channel_id: fact.channelId,
      transport: fact.transport,
      status: fact.status.status,
      reason: fact.status.reason,
      name: fact.name,
      phone: fact.phone,
      username: fact.username,
    },
  };
}

/** The QR code was drawn anew. */
export function qrEvent(fact: ChannelFact & { readonly qr: string }): Event {
  const body = { channel_id: fact.channelId, platform: fact.transport, qr_code: fact.qr };
  return { ...aboutChannel(fact), kind: "channel.qr_update", body };
}

/** A business API lets the channel start more or fewer conversations than before. */
export function tierEvent(fact: ChannelFact): Event {
  const body = { channel_id: fact.channelId, tier: fact.tier };
  return { ...aboutChannel(fact), kind: "channel.waba_tier_update", body };
}

/** Account, order and subject of an event about a channel. */
export function aboutChannel({
  accountId,
  channelId,
}: Pick<ChannelFact, "accountId" | "channelId">): Omit<Event, "kind" | "body"> {
  return { accountId, channelId, chat: channelId, subject: channelId };
}

export function templateV2Event({ templateId, name, status, ...channel }: TemplateFact): Event {
  const body = { template_id: templateId, channel_id: channel.channelId, name, status };
  return {
    ...aboutChannel(channel),
    kind: "waba_template.status_update",
    subject: templateId,
    body,
  };
}

/** `messages_dump.status_update` */
export function exportEvent({ accountId, exportId, status, url }: ExportFact): Event {
  const body = { export_id: exportId, status, url };
  return {
    accountId,
    kind: "messages_dump.status_update",
    channelId: null,
    chat: exportId,
    subject: exportId,
    body,
  };
}
