import type { Restriction } from "../channel-restrictions.ts";
import type { ChannelStatus } from "../channel-status.ts";
import type { ChatType, Tier } from "../transport/definition.ts";
import type { GroupPerson, MemberChange } from "../transport/events.ts";
import type { PasskeyProblem } from "../transport/login.ts";
import type { MessageExtras, MessageStatus, MessageType } from "../transport/message.ts";

/**
 * What happened, as the domain that stored it reports it to `publish`. What receivers are told of it, in each version of
 * the interface, is decided in `core/payload`.
 */
export type Fact =
  /** A message was added, edited or deleted. `isNew`: it was added, and may be edited or deleted already. */
  | { readonly kind: "message"; readonly message: MessageFact; readonly isNew?: true }
  /** An outgoing message was edited in the messenger itself. */
  | { readonly kind: "edited elsewhere"; readonly message: MessageFact; readonly status: StatusFact }
  | { readonly kind: "status"; readonly status: StatusFact }
  | { readonly kind: "reaction"; readonly reaction: ReactionFact }
  | { readonly kind: "channel"; readonly change: ChannelChange; readonly channel: ChannelFact }
  | { readonly kind: "template"; readonly template: TemplateFact }
  | { readonly kind: "export"; readonly export: ExportFact }
  | { readonly kind: "creation"; readonly creation: CreationFact }
  | { readonly kind: "group"; readonly group: GroupFact; readonly changes: GroupChanges }
  | { readonly kind: "members"; readonly group: GroupFact; readonly members: readonly MemberChange[] }
  | { readonly kind: "history"; readonly history: HistoryFact }
  | { readonly kind: "phones"; readonly phones: PhonesFact }
  /** Only for open pages. */
  | { readonly kind: "live"; readonly change: LiveChange };

/**
 * What changed of a channel. `erased`: deleted with its chats; `names`: name or username; `phone`: whether its phone is
 * available; `restrictions`: what the messenger does not allow its account; `qr`: a new QR code.
 */
export type ChannelChange =
  | "created"
  | "deleted"
  | "erased"
  | "status"
  | "qr"
  | "phone"
  | "names"
  | "tier"
  | "restrictions";

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
  readonly extras: MessageExtras;
  /** The buttons of an outgoing message; the pressed one and the structured answers of an incoming message. */
  readonly interactive: readonly InteractiveItem[];
  readonly quoted: QuotedFact | null;
  readonly sender: { readonly id: string; readonly name: string } | null;
  readonly isEdited: boolean;
  readonly isDeleted: boolean;
  readonly oldInfo: OldInfo | null;
}

export interface InteractiveItem {
  readonly type: string;
  /** Of a button: its label. */
  readonly text?: string;
  readonly payload?: string;
  readonly url?: string;
}

export interface OldInfo {
  readonly oldText?: string;
  readonly oldAuthorId?: string;
  readonly oldAuthorName?: string;
  /** Where the replaced file is. */
  readonly oldContentUri?: string;
}

/** What is left out of webhooks if a message does not have it. */
export type MessageDetails = Pick<
  MessageFact,
  | "error"
  | "sentFromApp"
  | "authorId"
  | "extras"
  | "interactive"
  | "sender"
  | "isEdited"
  | "isDeleted"
  | "oldInfo"
>;

/** The quoted message. `messageId` and other fields of stored messages are null if we never stored it. */
export type QuotedFact = Pick<MessageFact, "type" | "text" | "contentUri"> & {
  readonly details: MessageDetails | null;
  readonly contact: MessageFact["contact"] | null;
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

/** A person, or the channel's own account, reacted to a message. */
export interface ReactionFact {
  readonly accountId: number;
  readonly messageId: string;
  readonly channelId: string;
  readonly chat: string;
  readonly chatType: ChatType;
  readonly chatId: string;
  readonly contact: Pick<MessageFact["contact"], "name" | "username" | "phone">;
  /** Null: the channel's own account. */
  readonly by: { readonly id: string; readonly name: string } | null;
  /** Null: the reaction was removed. */
  readonly emoji: string | null;
  readonly at: Date;
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
  /** Absent: none, and none has ended now. */
  readonly restrictions?: readonly Restriction[];
  /** Only while the two-factor password is requested, and if its owner has set a hint. */
  readonly passwordHint?: string;
  /** Only while a person has to compare it with the phone's. */
  readonly compareCode?: string;
  /** Why the linking with a passkey before this QR code failed. */
  readonly passkeyProblem?: PasskeyProblem;
}

/** The import of a channel's earlier messages has begun, got on or ended. */
export interface HistoryFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly transport: string;
  readonly status: "running" | "done";
  /** Percent; null: unknown. */
  readonly progress: number | null;
  /** Imported so far. */
  readonly messages: number;
  /** It ended early: the account's quota is used up. */
  readonly isCut: boolean;
  /** Messages of this time are imported. */
  readonly since: Date;
  readonly until: Date;
  readonly at: Date;
}

/** Phone numbers of a request were looked up. */
export interface PhonesFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly transport: string;
  readonly checkId: string;
  readonly phones: readonly CheckedPhone[];
  /** How many numbers of the request are still looked up. */
  readonly waiting: number;
  readonly at: Date;
}

export interface CheckedPhone {
  readonly phone: string;
  /** Null: the messenger did not tell. */
  readonly exists: boolean | null;
  readonly chatType: ChatType;
  /** Null if there is none, or it is unknown. */
  readonly chatId: string | null;
  readonly username: string | null;
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

/** A request to the CRM to create a contact or a deal and to return it. */
export interface CreationFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly chat: string;
  /** The same for all requests for one client. */
  readonly creationId: string;
  readonly request: ContactRequest | DealRequest;
  /** The client, with a request for a contact; v2 has more fields for it than v3. */
  readonly client: Client | null;
  /** The version in which the account's CRM receives requests. */
  readonly version: "v2" | "v3";
}

/** The person of a chat. */
export interface Client {
  readonly chatId: string;
  readonly chatType: ChatType;
  readonly name: string;
  readonly username: string | null;
  readonly phone: string | null;
}

/** `auto`: a message caused the request; `byUser`: an employee's button. */
export type CreationSource = "auto" | "byUser";

/** Value of `createContact`, in the interface's spelling. */
export interface ContactRequest {
  readonly responsibleUserId: string;
  readonly name: string;
  readonly contactData: readonly { readonly chatType: ChatType; readonly chatId: string }[];
  readonly source: CreationSource;
}

/** Value of `createDeal`. */
export interface DealRequest {
  readonly responsibleUserId: string;
  /** Ids of contacts. */
  readonly contacts: readonly string[];
  readonly source: CreationSource;
}

/** The current state of a group chat with an update. */
export interface GroupFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly chat: string;
  readonly chatType: ChatType;
  readonly chatId: string;
  /** "" if unknown. */
  readonly name: string;
  readonly avatarUri: string | null;
  /** The time of the update by the messenger's clock. */
  readonly at: Date;
  readonly by: GroupPerson | null;
}

/** The changes of a group's name and picture. */
export interface GroupChanges {
  readonly changes: readonly ("name" | "avatar")[];
  /** Null if unknown, or if the name has not changed. */
  readonly oldName: string | null;
}

/** A change that only open pages are notified of; receivers of webhooks are not. */
export interface LiveChange {
  readonly accountId: number;
  readonly about: "message" | "chat" | "client" | "reload";
  /** Our uuid of the chat; for `reload` any uuid. */
  readonly chat: string;
  /** Id of the message or chat. */
  readonly subject: string;
}
