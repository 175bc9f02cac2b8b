import type { Static, TObject } from "typebox";
import type { ProxyScheme } from "../../platform/network/proxy/proxy.ts";
import type { LoginStepKind } from "./login.ts";

/** Properties of a chat type, the same in every messenger that has it. */
export interface ChatTypeTraits {
  /** Has several members: messages state their sender, and a message to it is not a first contact. */
  readonly group: boolean;
  /** For groups: the type of the private chat with a member. */
  readonly personType?: string;
  /** Form of its ids: an international number in digits, a username without the @, or the messenger's own id. */
  readonly idForm: "phone" | "username" | "own";
  /** Ids of people whose number is hidden, used in place of a phone number. */
  readonly hiddenIds?: RegExp;
  /** Suffixes that some clients append to ids. They are not part of the id. */
  readonly endings?: RegExp;
  /** Identifiers of a person that clients may use instead of the chat's id. */
  readonly addressBy: readonly ("username" | "phone")[];
}

/** The interface's chat types, over all messengers. A transport lists the ones it has. */
export const CHAT_TYPE_TRAITS = {
  whatsapp: {
    group: false,
    idForm: "phone",
    // WhatsApp's LIDs, and ids that the WhatsApp Business Platform scopes to one business.
    hiddenIds: /^(\d{3,32}@lid|[A-Z]{2}(\.[A-Za-z0-9_-]+)+)$/,
    endings: /@(s\.whatsapp\.net|c\.us)$/,
    addressBy: [],
  },
  whatsgroup: { group: true, personType: "whatsapp", idForm: "own", endings: /@g\.us$/, addressBy: [] },
  // Viber does not disclose phone numbers to bots, but its own ids, in base64.
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

/** For values from tables and requests; undefined if it is not a chat type. */
export function traitsOf(chatType: string): ChatTypeTraits | undefined {
  const traits: Readonly<Record<string, ChatTypeTraits>> = CHAT_TYPE_TRAITS;
  return Object.hasOwn(traits, chatType) ? traits[chatType] : undefined;
}

/** Transports that clients connect by a request, as spelled in the interface. VK is connected by a link to a page. */
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

/** Transports that a person connects on our connect page. */
export const PAGE_TRANSPORTS = [...CONNECTABLE_TRANSPORTS, "vk"] as const;

/**
 * How many conversations a day a channel of the WhatsApp Business Platform may start: the interface's values, and
 * `TIER_2K`, which was added later.
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

/** The public description of a transport. Pure data: safe in a browser, an OpenAPI file or a test. */
export interface TransportDefinition<
  Id extends string = string,
  Credentials extends TObject = TObject,
  Setting extends string = string,
> {
  readonly id: Id;
  readonly label: string;
  /** Its connections can also go through an MTProxy (core.telegram.org/mtproto/mtproto-transports). */
  readonly mtproxy?: true;
  /**
   * How a channel is linked. Decides the response of `POST /v2/channels` and what pages show.
   * - `credentials`: with the credentials in the request. If the connector has `signIn`, a person may also supply them
   *   on our page.
   * - `qr`: the session shows codes; there are no credentials.
   * - `redirect`: on a page of the transport, whose address is the response's `url`; or at once, if the request has
   *   credentials.
   * - `page`: only there. An account gets a link to the page, and the channel is created when it is linked.
   * - `invitation`: a person follows the response's `url` to the messenger, which returns the claim code in it
   *   (`AppLink.claim`); or at once, if the request has credentials.
   */
  readonly connect: "credentials" | "qr" | "redirect" | "page" | "invitation";
  /** JSON Schema of the credentials that owners supply. Fields marked `sensitive: true` are masked everywhere. */
  readonly credentials: Credentials;
  /**
   * The same for the stored credentials, if `verify` converts the supplied ones: a one-time code or a short-lived
   * token that is exchanged. Absent: credentials are stored as supplied.
   */
  readonly storedCredentials?: TObject;
  /** Settings of the installation, read from the environment by `config.ts`. */
  readonly settings: Readonly<Record<Setting, TransportSetting>>;
  /**
   * For messengers that cannot be polled but only call: each channel at its own address (`receive`), or the whole
   * installation at one (`receiveForApp`). Absent: never called, or able to poll as well. If channels have their own
   * addresses, the connector may additionally have `receiveForApp`, for an operator's account that channels share.
   */
  readonly calledBack?: "channel" | "app";
  /** The chat types of its channels; `CHAT_TYPE_TRAITS` says which are groups. */
  readonly chatTypes: readonly [ChatType, ...ChatType[]];
  readonly capabilities: Capabilities;
  readonly pacing: Pacing;
}

export interface TransportSetting {
  readonly env: string;
  readonly default: string;
  readonly help: string;
  readonly sensitive?: boolean;
  /** Marks the messenger's address, which the sandbox replaces with its own. */
  readonly address?: true;
  /**
   * Names a file of certificate authorities (PEM) that `request` trusts in this transport, in addition to the
   * system's. At most one setting of a transport is marked. Sessions in workers get it through
   * `IsolationOptions.environment`.
   */
  readonly trust?: true;
  /**
   * Makes the connector trust an emulator in place of the messenger. Rejected unless the sandbox runs or everything
   * is on loopback: HOST, PUBLIC_URL and the transport's addresses.
   */
  readonly emulatorOnly?: true;
}

/** From this, core responds with "too long", "cannot edit" or "wrong chat type" without a network call. */
export interface Capabilities {
  /** Identifiers that the messenger can resolve to a chat. */
  readonly addressBy: readonly ("chatId" | "username" | "phone")[];
  /** Maximum text length in UTF-16 units. */
  readonly text: { readonly maxLength: number };
  /** Kinds of files that can be sent, with the maximum size. Core rejects other kinds and larger files. */
  readonly media: Readonly<Partial<Record<MediaKind, MediaLimits>>>;
  /** Whether people can send files to the channel; then sessions have `openFile`. */
  readonly inboundFiles: boolean;
  /**
   * Voice notes are Ogg files with Opus (`audio/ogg`); core converts recordings of other formats. `described`: sessions
   * get `OutboundFile.voiceNote`. Absent: the messenger has no voice notes.
   */
  readonly voiceNotes?: "plain" | "described";
  /** Sessions get `OutboundFile.videoPreview`. Absent: the messenger looks at videos itself. */
  readonly videoPreviews?: true;
  readonly keyboard: KeyboardShape | null;
  /** Lower limits of a message with buttons, if the messenger has them: UTF-16 units of text and of a payload. */
  readonly withButtons?: { readonly maxTextLength?: number; readonly maxPayloadLength?: number };
  /** Messages approved in advance, and tiers that limit how many conversations may be started. */
  readonly templates: boolean;
  readonly quote: boolean;
  /** `windowMs` is the messenger's own limit, counted from sending; `null` if it has none. */
  readonly edit: {
    readonly windowMs: number | null;
    readonly parts: readonly ("text" | "attachment")[];
    /** The messenger does not edit a message that removed a keyboard. */
    readonly refusesKeyboardRemovals?: true;
  } | null;
  readonly remove: { readonly windowMs: number | null } | null;
  readonly receipts: readonly ("delivered" | "read")[];
  /** Reactions to messages; `send`: sessions have `react`. Absent: the messenger has none, or does not report them. */
  readonly reactions?: { readonly send: boolean };
  /**
   * What can be shown to the people of a chat: that their messages were read, that somebody is typing. Then sessions
   * have `mark`. Absent: nothing.
   */
  readonly marks?: readonly [ChatMark, ...ChatMark[]];
  /** Absent: there is no limit on when a person last wrote, or none is known. */
  readonly replyWindow?: ReplyWindow;
  /** The group updates that the messenger reports. Absent: none, or there are no groups. */
  readonly groupUpdates?: readonly GroupUpdates[];
  /** What can be done with groups; then sessions have `groups`. Absent: nothing. */
  readonly groups?: GroupCapabilities;
  /** Whether messages of the time before a channel was linked can be imported (`ChannelLink.history`). */
  readonly history?: true;
  /** Login steps that a person may perform while a channel is linked. If there are any, sessions have `answer`. */
  readonly login: readonly LoginStepKind[];
  readonly resend: Resend;
}

/**
 * The maximum time after a person's last activity in which the messenger accepts messages to them. Core rejects later
 * ones with `code`, except templates and replies to comments. Shorter limits are enforced by the messenger.
 */
export interface ReplyWindow {
  readonly ms: number;
  readonly code: "24_HOURS_EXCEEDED" | "7_DAYS_EXCEEDED";
}

/**
 * Whether the messenger deduplicates sends by an id that we choose before the first attempt, such as one derived from
 * `OutboundMessage.id`. `idempotentForMs` is how long it keeps such ids, `null` forever. `unsafe`: a message with an
 * unknown outcome is never sent again.
 */
export type Resend = "unsafe" | { readonly idempotentForMs: number | null };

/** What can be done with groups, besides reading them. Core refuses everything else, and what exceeds `limits`. */
export interface GroupCapabilities {
  /** Of groups that are created. */
  readonly chatType: ChatType;
  readonly create: boolean;
  readonly rename: boolean;
  /** Media types and size of a group's picture; null: it cannot be changed. */
  readonly picture: { readonly mimeTypes: readonly [string, ...string[]]; readonly maxBytes: number } | null;
  readonly participants: readonly ("add" | "remove")[];
  readonly roles: readonly ("promote" | "demote")[];
  readonly limits: {
    /** UTF-16 units. */
    readonly name: number;
    /** How many people a new group needs at least, and how many one request may name. */
    readonly people: { readonly min: number; readonly max: number };
  };
}

/** `interactive`: flat buttons with payloads. `markup`: inline or reply keyboards. `rows`: typed buttons in rows. */
export type KeyboardShape = "interactive" | "markup" | "rows";
export type ChatMark = "read" | "typing";
export type GroupUpdates = "title" | "picture" | "members";
export const MEDIA_KINDS = ["image", "audio", "video", "document"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];
export interface MediaLimits {
  readonly maxBytes: number;
  /** Longest text of a message with such a file, in UTF-16 units. Absent: a text has to be a message of its own. */
  readonly maxCaptionLength?: number;
}

/** Token buckets that keep an account within its messenger's limits. */
export interface Pacing {
  readonly channel: Bucket;
  readonly chat: Bucket;
  /** Buckets of single chats by chat type, if they differ from `chat`. */
  readonly chatOfType?: Readonly<Partial<Record<ChatType, Bucket>>>;
  /** Random extra delay before each send, up to this many milliseconds (personal accounts). */
  readonly jitterMs: number;
  /**
   * How many people who never wrote to the channel it may write to. Absent: limited only by the buckets. Groups do
   * not count.
   */
  readonly firstContact?: FirstContactPacing;
  /**
   * How many phone numbers the channel may look up (`Session.findPerson`); grows with the warm-up. Absent: the messenger
   * cannot be asked.
   */
  readonly phoneChecks?: FirstContactPacing;
  /**
   * How the allowance of first contacts grows while a channel is new. Absent: the full allowance from the first day.
   */
  readonly warmUp?: WarmUp;
}

/**
 * First contacts: messages to people who never wrote to the channel and whom none of its messages has reached. They
 * wait in their chats' queues while other chats continue.
 */
export interface FirstContactPacing {
  /** Maximum in any 24 hours. */
  readonly perDay: number;
  /** How many in a row; after that, one becomes available every 24 h / `perDay`. */
  readonly burst: number;
  /** Random extra delay between two of them, up to this many milliseconds. */
  readonly jitterMs: number;
}

/**
 * On a channel's first day `share` of the allowance (0 to 1), growing linearly to the full allowance within `days`.
 */
export interface WarmUp {
  readonly days: number;
  readonly share: number;
}
export interface Bucket {
  readonly perSecond: number;
  readonly burst: number;
}

/** As supplied to `verify`, or by a page. */
export type GivenCredentialsOf<D extends TransportDefinition> = Static<D["credentials"]>;
/** As stored: in a link. */
export type CredentialsOf<D extends TransportDefinition> = D extends {
  readonly storedCredentials: infer Stored extends TObject;
}
  ? Static<Stored>
  : Static<D["credentials"]>;
export type SettingsOf<D extends TransportDefinition> = Readonly<Record<keyof D["settings"], string>>;

/** Whether connections of this transport can go through such a proxy. */
export function canUseProxy(
  { mtproxy }: { readonly mtproxy?: true },
  { scheme }: { readonly scheme: ProxyScheme },
): boolean {
  return scheme !== "mtproxy" || mtproxy === true;
}
