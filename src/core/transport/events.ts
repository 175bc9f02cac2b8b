import type { ChatType, MediaKind, Tier } from "./definition.ts";
import type { Cooldown, MessageErrorCode } from "./errors.ts";
import type { Template } from "./template.ts";

/** Everything a messenger can report. One union: a new kind does not compile until core handles it. */
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
   * The person has read what the channel sent in this chat up to here: all our messages that are not later than the
   * one with this id, or than this time, become `read`. For messengers that report only the newest one.
   */
  | {
      readonly kind: "readUpTo";
      readonly chatType: ChatType;
      readonly chatId: string;
      /** Either one; if the message of the id is unknown, the event has no effect. */
      readonly upTo: { readonly externalId: string } | { readonly sentAt: Date };
      readonly at: Date;
    }
  /** The messenger accepted the message and could not deliver it later. */
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
  /** A person was active without sending a message, for example by a reaction; for `Capabilities.replyWindow`. */
  | {
      readonly kind: "activity";
      readonly chatType: ChatType;
      readonly chatId: string;
      /** Another id of this chat in the messenger, under which it may be stored. */
      readonly formerChatId?: string;
      readonly at: Date;
    }
  /**
   * `askedAt`: when the messenger was queried for this state, by `monotonicMs`. It has no effect if newer information
   * is known. Absent: it is reported as it happens.
   */
  | { readonly kind: "link"; readonly state: LinkState; readonly askedAt?: number }
  /** All templates of the channel's business. Missing ones are deleted. */
  | { readonly kind: "templates"; readonly templates: readonly Template[] }
  /** The moderation of one template; the components of a new one follow with the next `templates`. */
  | { readonly kind: "template"; readonly template: Omit<Template, "components"> }
  | { readonly kind: "tier"; readonly tier: Tier }
  /** Whether the messenger forbids the channel to make first contacts; `null` if they are allowed (again). */
  | { readonly kind: "cooldown"; readonly cooldown: Cooldown | null };

/** A message as identified by the messenger. Unique together with the channel, so replays are harmless. */
export interface MessageRef {
  readonly chatType: ChatType;
  readonly chatId: string;
  readonly externalId: string;
}

/** A change of a group. `ref.externalId` identifies the change and is the same at every repetition. */
interface AboutGroup {
  readonly ref: MessageRef;
  /** The messenger's time of the change. */
  readonly at: Date;
  /** Who made the change, if the messenger reports it. */
  readonly by?: GroupPerson;
}

/** A group got another name or picture. Core does not publish a name that it has already published. */
export interface GroupEvent extends AboutGroup {
  readonly kind: "group";
  readonly title?: string;
  /** Null: it was removed. */
  readonly picture?: FileRef | null;
  /**
   * The messenger was queried for the group's present state, `title` since `at`: published only if the group had
   * another name. `ref.externalId` is ignored.
   */
  readonly isSeen?: true;
}

/** People joined or left a group, or their role changed. A messenger may report the same change in two ways. */
export interface MembersEvent extends AboutGroup {
  readonly kind: "members";
  /** The group's present name; "" if unknown. */
  readonly title: string;
  readonly members: readonly MemberChange[];
}

/** A person who joins by a link is `added` by themselves; `removed` is done by others, `left` by oneself. */
export interface MemberChange {
  readonly change: "added" | "removed" | "left" | "promoted" | "demoted";
  readonly person: GroupPerson;
}

/** A member of a group; may be the channel's own account. */
export interface GroupPerson {
  /** As `sender.id` of messages. */
  readonly id: string;
  readonly name: string;
  readonly username?: string;
  /** International, digits only. */
  readonly phone?: string;
}

/** A message sent by the channel. */
export interface SentRef extends MessageRef {
  /** `OutboundMessage.id`, if the messenger returns it: reports may arrive before the response to the send. */
  readonly messageId?: string;
}

/** Why a message was not delivered; as in `TransportError`. */
export interface SendFailure {
  readonly code: MessageErrorCode;
  readonly description: string;
  readonly data?: string;
}

export interface InboundMessage extends MessageRef {
  /** Another id of this chat in the messenger, under which it may be stored. */
  readonly formerChatId?: string;
  /** `echo`: written by the channel's owner elsewhere, for example on the phone. */
  readonly direction: "in" | "echo";
  /** The messenger's time of sending. */
  readonly sentAt: Date;
  /** The chat's name and the person's identifiers, as far as the messenger provides them. */
  readonly contact: Contact;
  /** The author, in a group. */
  readonly sender?: { readonly id: string; readonly name: string };
  readonly body: MessageBody;
  /** A button of ours that was pressed, with its payload. */
  readonly pressed?: { readonly text: string; readonly payload?: string };
  /**
   * The post that this is a comment on. Comments are messages of the chat with their author, with the comment's own
   * id; `quoted` is the comment that they reply to. They do not open `Capabilities.replyWindow`.
   */
  readonly post?: CommentedPost;
  /** The listing that the chat is about, on marketplaces. */
  readonly advert?: Advert;
  /**
   * The quoted message; `body` is used if we never stored it. A reply to a story of the channel's owner quotes the
   * story by its id.
   */
  readonly quoted?: {
    readonly externalId: string;
    readonly body?: MessageBody;
    /** The author's name. */
    readonly authorName?: string;
    /** Where a browser shows what is quoted; it may be valid for a time only, as that of a story is. */
    readonly link?: string;
  };
}

export interface Contact {
  readonly name: string;
  readonly username?: string;
  /** International, digits only. */
  readonly phone?: string;
  readonly avatar?: FileRef;
  /** Id of the person's profile, if the chat has its own id and one person may have several chats. */
  readonly profileId?: string;
}

/** A listing of the channel's owner, as far as the messenger describes it. */
export interface Advert {
  readonly id: string;
  readonly title?: string;
  readonly url?: string;
  /** As displayed by the messenger, with its currency. */
  readonly price?: string;
}

/** A post of the channel's owner in a social network, with further details from its messenger. */
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
  /**
   * `what` names the kind for people, for example "poll". `isAwaited`: the content may still arrive; a later message with
   * the same id then takes this one's place, and is published as an edit of it.
   */
  | { readonly type: "unsupported"; readonly what: string; readonly isAwaited?: true };

/** A file that the session can open later by `token`; core decides when to download it. `size` in bytes. */
export interface FileRef {
  readonly token: string;
  readonly name?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/** The channel's account in the messenger. */
export interface ChannelProfile {
  readonly messengerId: string;
  /** What the channel shares with others, such as the business of several numbers; templates belong to it. */
  readonly businessId?: string;
  readonly name: string;
  readonly username?: string;
  readonly phone?: string;
  readonly url?: string;
}

/** The state of a session's connection. Closed list; `lost` is published only if it lasts. */
export type LinkState =
  /**
   * `phoneUnavailable`: the phone that holds the account has not been seen for so long that the messenger will soon
   * unlink the channel. Emit it again without the flag once the phone is back.
   */
  | { readonly status: "active"; readonly profile: ChannelProfile; readonly phoneUnavailable?: true }
  /** `qr`: a data URL. `expiresInMs`: when the messenger replaces the code; absent if unknown. */
  | {
      readonly status: "init";
      readonly reason: "qr";
      readonly qr: string;
      readonly expiresInMs?: number;
    }
  /** `hint`: the owner's hint for the password. */
  | { readonly status: "init"; readonly reason: "wait_for_password"; readonly hint?: string }
  | { readonly status: "init"; readonly reason: "wait_for_code" | "sync" }
  | {
      readonly status: "disabled";
      readonly reason: "unauthorized" | "qridle" | "openelsewhere" | "foreignphone" | "blocked" | "rejected";
    }
  | { readonly status: "lost"; readonly detail: string };
