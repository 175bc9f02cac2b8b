import { type TProperties, type TSchema, Type } from "typebox";
import { type Shape, typed } from "../../platform/foreign/schema.ts";
import type { Tier } from "./definition.ts";
import {
  type AccountRestriction,
  type Cooldown,
  MESSAGE_ERROR_CODES,
  RESTRICTION_KINDS,
  type RestrictionKind,
} from "./errors.ts";
import type { PasskeyProblem, PasskeyPrompt } from "./login.ts";
import {
  chatType,
  type contact,
  date,
  fileRef,
  id,
  inboundMessage,
  type MessageExtras,
  messageBody,
  messageRef,
} from "./message.ts";
import type { Template } from "./template.ts";
import { name, title } from "./text-schema.ts";

const maybe = <T extends TSchema>(shape: T) => Type.Optional(shape);

const ref = Type.Object(messageRef);
/** `messageId`: `OutboundMessage.id`, if the messenger returns it: reports may arrive before the response to the send. */
const sentRef = Type.Object({ ...messageRef, messageId: maybe(id) });
/** Why a message was not delivered; as in `TransportError`. */
const failure = Type.Object({
  code: Type.Enum([...MESSAGE_ERROR_CODES]),
  description: title(),
  data: maybe(name()),
});
/** A member of a group; may be the channel's own account. `id` as `sender.id` of messages, `phone` international, digits only. */
const person = Type.Object({ id, name: title(), username: maybe(name()), phone: maybe(name()) });
/** A person who joins by a link is `added` by themselves; `removed` is done by others, `left` by oneself. */
const memberChange = Type.Object({
  change: Type.Enum(["added", "removed", "left", "promoted", "demoted"]),
  person,
});
/**
 * A change of a group. `ref.externalId` identifies the change and is the same at every repetition; `at` is the
 * messenger's time of it; `by` is who made it, if the messenger reports that.
 */
const aboutGroup = { ref, at: date, by: maybe(person) };
const template = Type.Object({
  externalId: id,
  name: id,
  language: id,
  category: Type.String(),
  status: Type.String(),
});

/** `status`: how far a message of the owner got; default `sent`. */
const historyMessage = Type.Object({
  ...inboundMessage.properties,
  status: maybe(Type.Enum(["sent", "delivered", "read"])),
});

/** How many messages one `history` event may have. */
export const HISTORY_BATCH = 200;

/** How many names one `contactNames` event may have. */
export const CONTACT_NAMES_BATCH = 200;

/** Everything that a messenger can report, by kind. */
export const EVENTS = {
  message: { message: inboundMessage },
  /**
   * Messages of the time before the channel was linked, see `ChannelLink.history`: at most `HISTORY_BATCH`. The
   * first batches have the newest messages of a chat, but each is oldest first, so that messages of one second keep their
   * order; `isHistory` is set by core. Await each: core stores one batch after the other, in a share of its
   * time. A repeated message is ignored. `progress`: percent of the import, absent if unknown. `isDone`: nothing follows.
   */
  history: {
    messages: Type.Array(historyMessage),
    progress: maybe(typed<number>({})),
    isDone: maybe(Type.Literal(true)),
  },
  edited: { ref, body: messageBody, at: date },
  deleted: { ref, at: date },
  /**
   * A person reacted to a message; null: they removed their reaction. A person has one reaction to a message, so a new
   * one replaces it. Without `by` it is the channel's own account, through whichever program.
   */
  reaction: {
    ref,
    emoji: Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()]),
    by: maybe(Type.Object({ id, name: name() })),
    at: date,
  },
  receipt: { ref: sentRef, status: Type.Enum(["sent", "delivered", "read"]), at: date },
  /**
   * The person has read what the channel sent in this chat up to here: all our messages that are not later than the one
   * with this id, or than this time, become `read`. For messengers that report only the newest one. If the message of the
   * id is unknown, the event has no effect.
   */
  readUpTo: {
    chatType,
    chatId: id,
    upTo: typed<{ readonly externalId: string } | { readonly sentAt: Date }>({}),
    at: date,
  },
  /** The messenger accepted the message and could not deliver it later. */
  failed: { ref: sentRef, error: failure, at: date },
  /** The messenger gave a chat another id (a Telegram group that became a supergroup, a LID that got a number). */
  moved: { chatType, chatId: id, newChatId: id },
  /** A group got another name or picture. Core does not publish a name that it has already published. */
  group: {
    ...aboutGroup,
    title: maybe(title()),
    /** Null: it was removed. */
    picture: maybe(Type.Union([fileRef, Type.Null()])),
    /**
     * The messenger was queried for the group's present state, `title` since `at`: published only if the group had
     * another name. `ref.externalId` is ignored.
     */
    isSeen: maybe(Type.Literal(true)),
  },
  /**
   * People joined or left a group, or their role changed. A messenger may report the same change in two ways. `title`:
   * the group's present name; "" if unknown.
   */
  members: { ...aboutGroup, title: name(), members: Type.Array(memberChange) },
  /**
   * A person was active without sending a message, for example by a reaction; for `Capabilities.replyWindow`.
   * `formerChatId`: another id of this chat in the messenger, under which it may be stored.
   */
  activity: { chatType, chatId: id, formerChatId: maybe(id), at: date },
  /**
   * How the channel's own address book calls people since `at`, at most `CONTACT_NAMES_BATCH`; null: it no longer has
   * them. Core names the private chats that it has with this name rather than with people's own, and creates none.
   */
  contactNames: {
    names: Type.Array(
      Type.Object({ chatType, chatId: id, name: Type.Union([title(), Type.Null()]), at: date }),
    ),
  },
  /**
   * A person is typing; shown on open pages for `seconds`, or until their message, and never stored. Absent: a few
   * seconds.
   */
  typing: { chatType, chatId: id, seconds: maybe(typed<number>({})) },
  /**
   * `askedAt`: when the messenger was queried for this state, by `monotonicMs`. It has no effect if newer information is
   * known. Absent: it is reported as it happens.
   */
  link: { state: typed<LinkState>({}), askedAt: maybe(typed<number>({})) },
  /** All templates of the channel's business. Missing ones are deleted. */
  templates: { templates: typed<readonly Template[]>(Type.Array(template)) },
  /** The moderation of one template; the components of a new one follow with the next `templates`. */
  template: { template: typed<Omit<Template, "components">>(template) },
  tier: { tier: typed<Tier>(id) },
  /** Whether the messenger forbids the channel to make first contacts; `null` if they are allowed (again). */
  cooldown: {
    cooldown: typed<Cooldown | null>(
      Type.Union([
        Type.Object({
          until: date,
          reason: title(),
          basis: maybe(Type.Enum(["stated", "estimate", "precaution"])),
        }),
        Type.Null(),
      ]),
    ),
  },
  /**
   * What else the messenger does not allow the channel's account; `null`: this restriction has ended. It is published,
   * and changes nothing of what core sends.
   */
  restriction: {
    of: typed<RestrictionKind>(Type.Enum([...RESTRICTION_KINDS])),
    restriction: typed<AccountRestriction | null>(
      Type.Union([
        Type.Object({
          reason: title(),
          until: Type.Union([date, Type.Null()]),
          isEstimate: maybe(Type.Boolean()),
        }),
        Type.Null(),
      ]),
    ),
  },
} satisfies Readonly<Record<string, TProperties>>;

type Events = typeof EVENTS;
type EventOf<Kind extends keyof Events> = { readonly kind: Kind } & Shape<TObjectOf<Events[Kind]>>;
type TObjectOf<P extends TProperties> = ReturnType<typeof Type.Object<P>>;

/** Everything a messenger can report. One union: a new kind does not compile until core handles it. */
export type TransportEvent = { [Kind in keyof Events]: EventOf<Kind> }[keyof Events];

/** A message as identified by the messenger. Unique together with the channel, so replays are harmless. */
export type MessageRef = Shape<typeof ref>;
/** A message sent by the channel. */
export type SentRef = Shape<typeof sentRef>;
export type SendFailure = Shape<typeof failure>;
export type HistoryMessage = Shape<typeof historyMessage>;
export type HistoryEvent = EventOf<"history">;
export type ContactName = EventOf<"contactNames">["names"][number];
export type GroupEvent = EventOf<"group">;
export type MembersEvent = EventOf<"members">;
export type MemberChange = Shape<typeof memberChange>;
export type GroupPerson = Shape<typeof person>;

export type InboundMessage = Shape<typeof inboundMessage>;
export type Contact = Shape<typeof contact>;
/** A post of the channel's owner in a social network, with further details from its messenger. */
export type CommentedPost = NonNullable<MessageExtras["post"]>;
export type MessageBody = Shape<typeof messageBody>;
/** A file that the session can open later by `token`; core decides when to download it. `size` in bytes. */
export type FileRef = Shape<typeof fileRef>;

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
      /** Why the linking with a passkey before it failed. */
      readonly problem?: PasskeyProblem;
    }
  | { readonly status: "init"; readonly reason: "wait_for_passkey"; readonly passkey: PasskeyPrompt }
  /** `hint`: the owner's hint for the password. */
  | { readonly status: "init"; readonly reason: "wait_for_password"; readonly hint?: string }
  /** `compare`: the person compares this code with the one on the phone; the step `code` confirms it. */
  | { readonly status: "init"; readonly reason: "wait_for_code"; readonly compare?: string }
  | { readonly status: "init"; readonly reason: "sync" }
  /** `detail`: what the messenger said, for operators. */
  | {
      readonly status: "disabled";
      readonly reason: "unauthorized" | "qridle" | "openelsewhere" | "foreignphone" | "blocked" | "rejected";
      readonly detail?: string;
    }
  | { readonly status: "lost"; readonly detail: string };
