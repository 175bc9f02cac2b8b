import type { ChannelStatus } from "../channel/status.ts";
import type { MessageStatus, MessageType } from "../message/content.ts";
import type { ChatType, Tier } from "../transport/definition.ts";
import type { Advert, CommentedPost } from "../transport/events.ts";

/** A message as webhooks show it. */
export interface MessageFact {
  readonly accountId: number;
  readonly messageId: string;
  readonly channelId: string;
  readonly chat: string;
  readonly chatType: ChatType;
  readonly chatId: string;
  readonly sentAt: Date;
  readonly type: MessageType;
  readonly status: MessageStatus;
  /** Why it was not sent; only with the status `error`. */
  readonly error: MessageError | null;
  readonly text: string | null;
  readonly contentUri: string | null;
  /** What is known of the file behind `contentUri`. */
  readonly file: {
    readonly name: string | null;
    readonly mimeType: string | null;
    readonly size: number | null;
  };
  /** Outgoing: everything but what the customer wrote. */
  readonly isEcho: boolean;
  /** Written in our own chat. */
  readonly sentFromApp: boolean;
  readonly authorId: string | null;
  readonly authorName: string | null;
  readonly contact: {
    readonly name: string;
    readonly username: string | null;
    readonly phone: string | null;
    readonly avatarUri: string | null;
    readonly profileId: string | null;
  };
  /** The post that the message is a comment on. */
  readonly post: CommentedPost | null;
  /** The listing that the chat is about. */
  readonly advert: Advert | null;
  /** Buttons: of ours under an outgoing message, or the pressed one of an incoming message. */
  readonly interactive: readonly InteractiveItem[];
  readonly quoted: QuotedFact | null;
  readonly sender: { readonly id: string; readonly name: string } | null;
  readonly isEdited: boolean;
  readonly isDeleted: boolean;
  readonly oldInfo: OldInfo | null;
  /** Somebody of the account is subscribed to v2 events. */
  readonly wantsV2: boolean;
}

export interface InteractiveItem {
  readonly type: string;
  readonly text: string;
  readonly payload?: string;
  readonly url?: string;
}

export interface OldInfo {
  readonly oldText?: string;
  readonly oldAuthorId?: string;
  readonly oldAuthorName?: string;
}

/** The message answered to. `messageId` and what belongs to a stored message are null when it was never stored. */
export type QuotedFact = Pick<MessageFact, "type" | "text" | "contentUri"> & {
  readonly messageId: string | null;
  readonly status: MessageStatus | null;
  readonly sentAt: Date | null;
  readonly isEcho: boolean | null;
  readonly authorName: string | null;
};

/** The status of an outgoing message changed. */
export interface StatusFact {
  readonly accountId: number;
  readonly messageId: string;
  /** What the sending of it was answered with; null when it was not sent through the interface. */
  readonly requestId: string | null;
  readonly channelId: string;
  readonly chat: string;
  readonly status: "sent" | "delivered" | "read" | "error" | "edited";
  readonly at: Date;
  readonly error: MessageError | null;
}

/** `code` is one of the interface's message error codes. */
export interface MessageError {
  readonly code: string;
  readonly description: string;
  readonly data?: string;
}

/** The status of a channel changed, or its QR code was drawn anew. */
export interface ChannelFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly transport: string;
  readonly status: ChannelStatus;
  readonly phoneUnavailable: boolean;
  readonly name: string;
  readonly phone: string;
  readonly username: string;
  /** Of channels of a business API only. */
  readonly tier: Tier | null;
  readonly at: Date;
  /** `data:image/png;base64,…`, only while a QR code is shown. */
  readonly qr: string | null;
  /** Only while the two-factor password is awaited, where its owner wrote one down. */
  readonly passwordHint?: string;
}

/** A template of a business API passed or failed its moderation. */
export interface TemplateFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly templateId: string;
  readonly name: string;
  readonly status: "APPROVED" | "PENDING" | "REJECTED" | "PAUSED" | "DISABLED";
}

/** An export ended, or its state changed otherwise. `url` null: no file. */
export interface ExportFact {
  readonly accountId: number;
  readonly exportId: string;
  readonly status: "pending" | "processing" | "done" | "webhook_failed";
  readonly url: string | null;
}
