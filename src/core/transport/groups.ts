import type { OutboundFile } from "./outbound-file.ts";

/**
 * Groups of the channel's account, for `Capabilities.groups`. A chat id is that of the group's messages, without
 * `formerChatId` or other names. Calls of a channel are made one after the other. Throw `GroupRefused` if the
 * messenger refuses for a reason of its list, else `TransportError`; its `retry` says whether the call had an effect:
 * core never repeats a call. A change is emitted as well (`group`, `members`), like one that the account's owner
 * makes on a phone: core publishes it from there.
 */
export interface GroupMethods {
  /**
   * Creates a group with these people; it succeeds if only some of them, or none, could be added. Never called again
   * for the same `request.id`.
   */
  create(request: NewGroup, signal: AbortSignal): Promise<CreatedGroup>;
  read(chatId: string, signal: AbortSignal): Promise<Group>;
  /** One change. Returns what became of each person, in the order of the change; [] if it names nobody. */
  change(chatId: string, change: GroupChange, signal: AbortSignal): Promise<readonly PersonOutcome[]>;
}

export interface NewGroup {
  /** Identifies the request (uuid), for messengers that recognise repetitions. */
  readonly id: string;
  /** Not empty, at most `limits.name` long. */
  readonly name: string;
  /** `limits.people`, none twice. */
  readonly people: readonly GroupPersonName[];
}

/**
 * A person, as the client names them: with `id` as in `sender.id` of messages, with a phone number (international,
 * digits only) or a username without the @; only forms of `Capabilities.addressBy` (`chatId` is `id`).
 */
export type GroupPersonName =
  | { readonly id: string }
  | { readonly phone: string }
  | { readonly username: string };

/**
 * `picture`: of a media type and size in `GroupCapabilities.picture`; null removes it. `people`: at most
 * `limits.people.max`, none twice.
 */
export type GroupChange =
  | { readonly kind: "rename"; readonly name: string }
  | { readonly kind: "picture"; readonly picture: OutboundFile | null }
  | { readonly kind: GroupPeopleChange; readonly people: readonly GroupPersonName[] };
export const GROUP_PEOPLE_CHANGES = ["add", "remove", "promote", "demote"] as const;
export type GroupPeopleChange = (typeof GROUP_PEOPLE_CHANGES)[number];

export interface CreatedGroup {
  readonly group: Group;
  /** What became of each person, in the order of the request. */
  readonly people: readonly PersonOutcome[];
}

export interface Group {
  readonly chatId: string;
  /** "" if it has none. */
  readonly name: string;
  /** How many members it has. */
  readonly size: number;
  /** With the channel's own account; of a larger group the first `MAX_GROUP_MEMBERS`, or those that can be read. */
  readonly members: readonly GroupMember[];
}
export const MAX_GROUP_MEMBERS = 2_000;

/** `id` as `sender.id` of messages. */
export interface GroupMember {
  readonly id: string;
  /** "" if unknown. */
  readonly name: string;
  readonly username?: string;
  /** International, digits only. */
  readonly phone?: string;
  readonly role: GroupRole;
  /** The channel's account. */
  readonly isOwn?: true;
}
/** `owner`: cannot be removed or demoted by others. */
export const GROUP_ROLES = ["member", "admin", "owner"] as const;
export type GroupRole = (typeof GROUP_ROLES)[number];

/** What became of one person. */
export interface PersonOutcome {
  /** As named in the request. */
  readonly person: GroupPersonName;
  /** As `sender.id` of messages, if the messenger knows the person. */
  readonly id?: string;
  readonly result: PersonResult;
  /** The messenger's own reason or code. */
  readonly data?: string;
}
/**
 * - `done`
 * - `invitation_needed`: the person's privacy settings let them join by an invitation only
 * - `unknown`: there is no such account
 * - `already`: they are a member, or have the role
 * - `not_a_member`
 * - `left_recently`: they left the group and can only return by themselves
 * - `full`: the group, or the person's list of groups
 * - `protected`: the owner, or somebody whom the channel's account may not change
 * - `refused`: another reason
 */
export const PERSON_RESULTS = [
  "done",
  "invitation_needed",
  "unknown",
  "already",
  "not_a_member",
  "left_recently",
  "full",
  "protected",
  "refused",
] as const;
export type PersonResult = (typeof PERSON_RESULTS)[number];
