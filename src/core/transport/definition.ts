import type { Static, TObject } from "typebox";
import type { LoginStepKind } from "./login.ts";

/** What holds for a chat type in every messenger that has it. */
export interface ChatTypeTraits {
  /** Several people write in it: its messages name their sender, and writing to it is no first contact. */
  readonly group: boolean;
  /** Of groups: the type of the private chat with somebody who writes in one. */
  readonly personType?: string;
  /** Form of its ids: an international number in digits, a username without the @, or an id of the messenger's own. */
  readonly idForm: "phone" | "username" | "own";
  /** Ids of people whose number is hidden; they stand where a phone number would. */
  readonly hiddenIds?: RegExp;
  /** Endings of addresses that some clients append to ids. They are no part of the id. */
  readonly endings?: RegExp;
  /** What clients may name a person by in place of the chat's id. */
  readonly addressBy: readonly ("username" | "phone")[];
}

/** Chat types of the interface, over all messengers. A transport lists the ones it has. */
export const CHAT_TYPE_TRAITS = {
  whatsapp: {
    group: false,
    idForm: "phone",
    // WhatsApp's LIDs, and ids that a business API scopes to one business.
    hiddenIds: /^(\d{3,32}@lid|[A-Z]{2}(\.[A-Za-z0-9_-]+)+)$/,
    endings: /@(s\.whatsapp\.net|c\.us)$/,
    addressBy: [],
  },
  whatsgroup: { group: true, personType: "whatsapp", idForm: "own", endings: /@g\.us$/, addressBy: [] },
  // Viber shows no phone numbers to bots, but ids of its own, in base64.
  viber: { group: false, idForm: "phone", hiddenIds: /^[A-Za-z0-9+/]{11,64}={1,2}$/, addressBy: [] },
  instagram: { group: false, idForm: "username", addressBy: [] },
  telegram: { group: false, idForm: "own", addressBy: ["username", "phone"] },
  telegroup: { group: true, personType: "telegram", idForm: "own", addressBy: [] },
  vk: { group: false, idForm: "own", addressBy: [] },
  avito: { group: false, idForm: "own", addressBy: [] },
  max: { group: false, idForm: "own", addressBy: ["phone"] },
  maxgroup: { group: true, personType: "max", idForm: "own", addressBy: [] },
} as const satisfies Readonly<Record<string, ChatTypeTraits>>;
export type ChatType = keyof typeof CHAT_TYPE_TRAITS;

/** Their names, in the order of the table. */
export const CHAT_TYPES = Object.keys(CHAT_TYPE_TRAITS) as readonly ChatType[];

/** For values that come from tables and requests; undefined for what is no chat type. */
export function traitsOf(chatType: string): ChatTypeTraits | undefined {
  const traits: Readonly<Record<string, ChatTypeTraits>> = CHAT_TYPE_TRAITS;
  return Object.hasOwn(traits, chatType) ? traits[chatType] : undefined;
}

/** Transports that clients connect by request, in the interface's words. VK is connected by a link to a page. */
export const CONNECTABLE_TRANSPORTS = [
  "whatsapp",
  "wapi",
  "telegram",
  "tgapi",
  "instagram",
  "viber",
  "avito",
  "max",
  "maxbot",
] as const;

/** Transports that a person connects on a page of ours. */
export const PAGE_TRANSPORTS = [...CONNECTABLE_TRANSPORTS, "vk"] as const;

/**
 * How many conversations a day a channel of a business API may start. The interface's values, and `TIER_2K`, which
 * came later.
 */
export const TIERS = [
  "TIER_0",
  "TIER_50",
  "TIER_250",
  "TIER_1K",
  "TIER_2K",
  "TIER_10K",
  "TIER_100K",
  "TIER_UNLIMITED",
] as const;
export type Tier = (typeof TIERS)[number];

/** What the outside world may know about a transport. Pure data: safe in a browser, an OpenAPI file or a test. */
export interface TransportDefinition<
  Id extends string = string,
  Credentials extends TObject = TObject,
  Setting extends string = string,
> {
  readonly id: Id;
  readonly label: string;
  /**
   * How a channel comes to life; decides what `POST /v2/channels` answers and what a console shows.
   * - `credentials`: by credentials that the request has. With the connector's `page`, a person may bring them about there.
   * - `qr`: the session shows codes; there are no credentials.
   * - `redirect`: on a page of the transport, whose address is the answer's `url`; or at once, by whoever has the
   *   credentials already.
   * - `page`: only there; links to the page are given out for an account, and the channel begins when it is linked.
   * - `invitation`: a person follows the answer's `url` into the messenger, which brings back the claim code in it
   *   (`AppLink.claim`); or at once, by whoever has credentials.
   */
  readonly connect: "credentials" | "qr" | "redirect" | "page" | "invitation";
  /** JSON Schema of the credentials that owners give. Fields marked `sensitive: true` are masked wherever they could be seen. */
  readonly credentials: Credentials;
  /**
   * The same for what is stored in their place, where `verify` turns them into something else: a one-time code or a
   * short-lived token into those that it is exchanged for. Absent: credentials are stored as they are given.
   */
  readonly storedCredentials?: TObject;
  /** What an operator may set for the whole installation, read from the environment by `config.ts`. */
  readonly settings: Readonly<Record<Setting, TransportSetting>>;
  /**
   * For messengers that cannot be asked for news, only wait for them to call: each channel at an address of its own
   * (`receive`), or the whole installation at one (`receiveForApp`). Absent: never called, or able to poll as well. Where
   * channels have addresses of their own, the connector may have `receiveForApp` besides, for an account of the operator's
   * that channels share.
   */
  readonly calledBack?: "channel" | "app";
  /** The kinds of chats that its channels have; `CHAT_TYPE_TRAITS` says which are groups. */
  readonly chatTypes: readonly [ChatType, ...ChatType[]];
  readonly capabilities: Capabilities;
  readonly pacing: Pacing;
}

export interface TransportSetting {
  readonly env: string;
  readonly default: string;
  readonly help: string;
  readonly sensitive?: boolean;
  /** Marks the messenger's address, which the sandbox replaces by its own. */
  readonly address?: true;
  /**
   * Names a file of certificate authorities (PEM) which `request` trusts in this transport, besides those of the system.
   * At most one setting of a transport is marked so. Sessions in workers get it by `IsolationOptions.environment`.
   */
  readonly trust?: true;
  /**
   * Makes the connector trust an emulator in the messenger's place. Refused unless the sandbox runs or everything is on
   * loopback: HOST, PUBLIC_URL and the transport's addresses.
   */
  readonly emulatorOnly?: true;
}

/** Core answers "too long", "cannot edit", "wrong chat type" from this, without a network call. */
export interface Capabilities {
  /** Identifiers that the messenger itself can resolve to a chat. */
  readonly addressBy: readonly ("chatId" | "username" | "phone")[];
  /** Longest text in UTF-16 units. */
  readonly text: { readonly maxLength: number };
  /** Kinds of files that can be sent, with the largest size. Core refuses other kinds and larger files. */
  readonly media: Readonly<Partial<Record<MediaKind, MediaLimits>>>;
  /** Whether people can send files to the channel; then sessions have `openFile`. */
  readonly inboundFiles: boolean;
  readonly keyboard: KeyboardShape | null;
  /** Tighter limits of a message with buttons, where the messenger has them: UTF-16 units of text and of a payload. */
  readonly withButtons?: { readonly maxTextLength?: number; readonly maxPayloadLength?: number };
  /** Messages approved beforehand, and tiers of how many conversations may be started. */
  readonly templates: boolean;
  readonly quote: boolean;
  /** `windowMs` is the messenger's own limit, counted from sending; `null` when it has none. */
  readonly edit: {
    readonly windowMs: number | null;
    readonly parts: readonly ("text" | "attachment")[];
  } | null;
  readonly remove: { readonly windowMs: number | null } | null;
  readonly receipts: readonly ("delivered" | "read")[];
  /** Absent: a person can be written to however long ago they wrote, or nothing is certain about it. */
  readonly replyWindow?: ReplyWindow;
  /** Which changes of groups the messenger tells of. Absent: none, or there are no groups. */
  readonly groupNews?: readonly GroupNews[];
  /** Steps that a person may take while a channel is linked. Where there are any, sessions have `answer`. */
  readonly login: readonly LoginStepKind[];
  readonly resend: Resend;
}

/**
 * For how long after a person was heard of the messenger takes messages to them, in the longest case. Core refuses what
 * comes later with `code`, except for templates and for answers to comments. Shorter cases are the messenger's to refuse.
 */
export interface ReplyWindow {
  readonly ms: number;
  readonly code: "24_HOURS_EXCEEDED" | "7_DAYS_EXCEEDED";
}

/**
 * Whether the messenger recognises a repeated send by an id that we choose before the first attempt, such as one made
 * from `OutboundMessage.id`. It may forget such ids: `idempotentForMs` says after how long, `null` that it never does.
 * `unsafe`: a message whose outcome is not known is never sent again.
 */
export type Resend = "unsafe" | { readonly idempotentForMs: number | null };

/** `interactive`: flat buttons with payloads. `markup`: inline or reply keyboards. `rows`: typed buttons in rows. */
export type KeyboardShape = "interactive" | "markup" | "rows";
export type GroupNews = "title" | "picture" | "members";
export type MediaKind = "image" | "audio" | "video" | "document";
export interface MediaLimits {
  readonly maxBytes: number;
}

/** Token buckets that keep an account within its messenger's limits. */
export interface Pacing {
  readonly channel: Bucket;
  readonly chat: Bucket;
  /** Buckets of single chats by chat type, where they differ from `chat`. */
  readonly chatOfType?: Readonly<Partial<Record<ChatType, Bucket>>>;
  /** Random extra pause before each send, up to this many milliseconds (personal accounts). */
  readonly jitterMs: number;
  /**
   * How many people who never wrote to the channel it may write to. Absent: as many as the buckets let pass. Groups do
   * not count.
   */
  readonly firstContact?: FirstContactPacing;
  /** How the allowance of first contacts grows while a channel is new. Absent: it is whole from the first day. */
  readonly warmUp?: WarmUp;
}

/**
 * First contacts: messages to people who never wrote to the channel and whom no message of it has reached. They wait in
 * their chats' queues while other chats go on.
 */
export interface FirstContactPacing {
  /** At most so many in any 24 hours. */
  readonly perDay: number;
  /** So many in a row; after them one becomes free every 24 h / `perDay`. */
  readonly burst: number;
  /** Random extra pause between two of them, up to this many milliseconds. */
  readonly jitterMs: number;
}

/** On a channel's first day `share` of the allowance (0 to 1), growing evenly to the whole within `days`. */
export interface WarmUp {
  readonly days: number;
  readonly share: number;
}
export interface Bucket {
  readonly perSecond: number;
  readonly burst: number;
}

/** As they are given: to `verify`, or by a page. */
export type GivenCredentialsOf<D extends TransportDefinition> = Static<D["credentials"]>;
/** As they are stored: in a link. */
export type CredentialsOf<D extends TransportDefinition> = D extends {
  readonly storedCredentials: infer Stored extends TObject;
}
  ? Static<Stored>
  : Static<D["credentials"]>;
export type SettingsOf<D extends TransportDefinition> = Readonly<Record<keyof D["settings"], string>>;
