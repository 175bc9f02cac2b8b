import type { ChatType, MediaKind, Tier } from "./definition.ts";
import type { Hold, MessageErrorCode } from "./errors.ts";
import type { Template } from "./template.ts";

/** Everything a messenger can tell us. One union: a new kind of fact fails to compile until core handles it. */
export type TransportEvent =
  | { readonly kind: "message"; readonly message: InboundMessage }
  | { readonly kind: "edited"; readonly ref: MessageRef; readonly body: MessageBody; readonly at: Date }
  | { readonly kind: "deleted"; readonly ref: MessageRef; readonly at: Date }
  | {
      readonly kind: "receipt";
      readonly ref: SentRef;
      readonly status: "sent" | "delivered" | "read";
      readonly at: Date;
    }
  /**
   * The person read what the channel sent in this chat up to here: all messages of ours that are not later than the one
   * with this id, or than this time, become `read`. For messengers that tell of the newest one only.
   */
  | {
      readonly kind: "readUpTo";
      readonly chatType: ChatType;
      readonly chatId: string;
      /** Either one; where the message of the id is not known, nothing happens. */
      readonly upTo: { readonly externalId: string } | { readonly sentAt: Date };
      readonly at: Date;
    }
  /** The messenger took the message and found later that it cannot deliver it. */
  | { readonly kind: "failed"; readonly ref: SentRef; readonly error: SendFailure; readonly at: Date }
  /** The messenger gave a chat another id (a Telegram group that became a supergroup, a LID that got a number). */
  | {
      readonly kind: "moved";
      readonly chatType: ChatType;
      readonly chatId: string;
      readonly newChatId: string;
    }
  | GroupEvent
  | MembersEvent
  /** A person did something that is no message of its own, such as a reaction; for `Capabilities.replyWindow`. */
  | {
      readonly kind: "heard";
      readonly chatType: ChatType;
      readonly chatId: string;
      /** Another id that the messenger has for this chat, under which it may be stored. */
      readonly formerChatId?: string;
      readonly at: Date;
    }
  /**
   * `askedAt`: when the messenger was asked for this state, by `machineMs`. It changes nothing if what is known by now
   * is newer than that. Absent: it is told as it happens.
   */
  | { readonly kind: "link"; readonly state: LinkState; readonly askedAt?: number }
  /** All templates of the channel's business. What is missing is gone. */
  | { readonly kind: "templates"; readonly templates: readonly Template[] }
  /** One template's moderation; the components of a new one come with the next `templates`. */
  | { readonly kind: "template"; readonly template: Omit<Template, "components"> }
  | { readonly kind: "tier"; readonly tier: Tier }
  /** Whether the messenger lets the channel write to people who never wrote to it; `null` when it does (again). */
  | { readonly kind: "hold"; readonly hold: Hold | null };

/** A message as the messenger names it. Together with the channel it is unique, so replays are harmless. */
export interface MessageRef {
  readonly chatType: ChatType;
  readonly chatId: string;
  readonly externalId: string;
}

/** Something happened to a group. `ref.externalId` names the change and is the same at every repetition. */
interface AboutGroup {
  readonly ref: MessageRef;
  /** When the messenger says it happened. */
  readonly at: Date;
  /** Who did it, where the messenger says. */
  readonly by?: GroupPerson;
}

/** A group got another name or picture. Core tells nobody of a name that it has told already. */
export interface GroupEvent extends AboutGroup {
  readonly kind: "group";
  readonly title?: string;
  /** Null: it has none any more. */
  readonly picture?: FileRef | null;
  /**
   * The messenger was asked how the group is now, `title` since `at`: only news where the group was known by another
   * name. `ref.externalId` plays no part then.
   */
  readonly isSeen?: true;
}

/** People came into a group or left it, or became its administrators. A messenger may tell the same in two ways. */
export interface MembersEvent extends AboutGroup {
  readonly kind: "members";
  /** The group's name as it is now; "" where it is not known. */
  readonly title: string;
  readonly members: readonly MemberChange[];
}

/** Somebody who joins by a link is `added` by themselves; `removed` is what others do, `left` what one does oneself. */
export interface MemberChange {
  readonly change: "added" | "removed" | "left" | "promoted" | "demoted";
  readonly person: GroupPerson;
}

/** Somebody in a group; the channel's own account, too. */
export interface GroupPerson {
  /** As `sender.id` of messages. */
  readonly id: string;
  readonly name: string;
  readonly username?: string;
  /** International, digits only. */
  readonly phone?: string;
}

/** A message of ours. */
export interface SentRef extends MessageRef {
  /** `OutboundMessage.id`, where the messenger repeats it: its news may come before the answer to the sending. */
  readonly messageId?: string;
}

/** Why a message was not delivered; as in `TransportError`. */
export interface SendFailure {
  readonly code: MessageErrorCode;
  readonly description: string;
  readonly data?: string;
}

export interface InboundMessage extends MessageRef {
  /** Another id that the messenger has for this chat, under which it may be stored. */
  readonly formerChatId?: string;
  /** `echo`: written by the channel's owner elsewhere, e.g. on the phone. */
  readonly direction: "in" | "echo";
  /** When the messenger says it was sent. */
  readonly sentAt: Date;
  /** The chat's name and the person's identifiers, as far as the messenger tells them. */
  readonly contact: Contact;
  /** Who wrote in a group. */
  readonly sender?: { readonly id: string; readonly name: string };
  readonly body: MessageBody;
  /** A button of ours that was pressed, with its payload. */
  readonly pressed?: { readonly text: string; readonly payload?: string };
  /**
   * The post that this is a comment on. Comments are messages of the chat with their author, under the comment's own id;
   * `quoted` is the comment that they answer. They do not open `Capabilities.replyWindow`.
   */
  readonly post?: CommentedPost;
  /** The listing that the chat is about, on marketplaces. */
  readonly advert?: Advert;
  /**
   * The message answered to; `body` serves when we never stored it. An answer to a story of the channel's owner quotes
   * the story by its id.
   */
  readonly quoted?: {
    readonly externalId: string;
    readonly body?: MessageBody;
    /** Who wrote it, by name. */
    readonly authorName?: string;
  };
}

export interface Contact {
  readonly name: string;
  readonly username?: string;
  /** International, digits only. */
  readonly phone?: string;
  readonly avatar?: FileRef;
  /** Of the person's profile, where the chat has an id of its own and one person may have several chats. */
  readonly profileId?: string;
}

/** A listing of the channel's owner, as far as the messenger tells of it. */
export interface Advert {
  readonly id: string;
  readonly title?: string;
  readonly url?: string;
  /** As the messenger shows it, with its currency. */
  readonly price?: string;
}

/** A post of the channel's owner in a social network, with what else its messenger tells of it. */
export interface CommentedPost {
  readonly id: string;
  readonly src: string;
  readonly author: string;
  readonly description: string;
  readonly [more: string]: string | number;
}

export type MessageBody =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "media"; readonly media: MediaKind; readonly file: FileRef; readonly text: string }
  | { readonly type: "geo"; readonly latitude: number; readonly longitude: number; readonly text: string }
  | { readonly type: "vcard"; readonly vcard: string }
  | { readonly type: "missing_call" }
  /** `what` names the kind for a person, e.g. "poll". */
  | { readonly type: "unsupported"; readonly what: string };

/** A file the session can open later by `token`; core decides when to fetch it. `size` in bytes. */
export interface FileRef {
  readonly token: string;
  readonly name?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/** Who the channel is in the messenger. */
export interface ChannelProfile {
  readonly messengerId: string;
  /** What the channel has in common with others, such as the business of several numbers; templates are its own. */
  readonly businessId?: string;
  readonly name: string;
  readonly username?: string;
  readonly phone?: string;
  readonly url?: string;
}

/** What a session says of its connection. Closed list; `lost` is announced only when it lasts. */
export type LinkState =
  /**
   * `phoneUnavailable`: the phone that holds the account was not seen for so long that the messenger is about to unlink
   * the channel. Say it again without once the phone is back.
   */
  | { readonly status: "active"; readonly profile: ChannelProfile; readonly phoneUnavailable?: true }
  /** `qr`: a data URI. `expiresInMs`: after which time the messenger replaces the code; absent where it is not known. */
  | {
      readonly status: "init";
      readonly reason: "qr";
      readonly qr: string;
      readonly expiresInMs?: number;
    }
  /** `hint`: what the account's owner wrote down to remember the password by. */
  | { readonly status: "init"; readonly reason: "wait_for_password"; readonly hint?: string }
  | { readonly status: "init"; readonly reason: "wait_for_code" | "sync" }
  | {
      readonly status: "disabled";
      readonly reason: "unauthorized" | "qridle" | "openelsewhere" | "foreignphone" | "blocked" | "rejected";
    }
  | { readonly status: "lost"; readonly detail: string };
