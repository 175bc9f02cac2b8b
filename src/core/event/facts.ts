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
  /** Set if and only if the status is `error`. */
  readonly error: MessageError | null;
  readonly text: string | null;
  readonly contentUri: string | null;
  /** The file behind `contentUri`, as far as known. */
  readonly file: {
    readonly name: string | null;
    readonly mimeType: string | null;
    readonly size: number | null;
  };
  /** Outgoing: everything that the client did not write. */
  readonly isEcho: boolean;
  /** Written on our own chat page. */
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
  /** Buttons: those of an outgoing message, or the pressed one of an incoming message. */
  readonly interactive: readonly InteractiveItem[];
  readonly quoted: QuotedFact | null;
  readonly sender: { readonly id: string; readonly name: string } | null;
  readonly isEdited: boolean;
  readonly isDeleted: boolean;
  readonly oldInfo: OldInfo | null;
  /** Whether the account subscribes to any v2 event. */
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

/** The quoted message. `messageId` and other fields of stored messages are null if we never stored it. */
export type QuotedFact = Pick<MessageFact, "type" | "text" | "contentUri"> & {
  readonly messageId: string | null;
  readonly status: MessageStatus | null;
  readonly sentAt: Date | null;
  readonly isEcho: boolean | null;
  readonly authorName: string | null;
};

/** The status of an outgoing message has changed. */
export interface StatusFact {
  readonly accountId: number;
  readonly messageId: string;
  /** The id in the response to the send request; null if the message was not sent through the interface. */
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

/** A channel has a new status, or a new QR code. */
export interface ChannelFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly transport: string;
  readonly status: ChannelStatus;
  readonly phoneUnavailable: boolean;
  readonly name: string;
  readonly phone: string;
  readonly username: string;
  /** Null except for channels of the WhatsApp Business Platform. */
  readonly tier: Tier | null;
  readonly at: Date;
  /** `data:image/png;base64,…`, only while a QR code is shown. */
  readonly qr: string | null;
  /** Only while the two-factor password is requested, and if its owner has set a hint. */
  readonly passwordHint?: string;
}

/** The moderation of a template has ended. */
export interface TemplateFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly templateId: string;
  readonly name: string;
  readonly status: "APPROVED" | "PENDING" | "REJECTED" | "PAUSED" | "DISABLED";
}

/** The status of an export has changed. `url` null: there is no file. */
export interface ExportFact {
  readonly accountId: number;
  readonly exportId: string;
  readonly status: "pending" | "processing" | "done" | "webhook_failed";
  readonly url: string | null;
}
