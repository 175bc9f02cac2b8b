import type { Readable } from "node:stream";
import type { TransportRequest } from "../../platform/http-client.ts";
import type {
  ChatType,
  CredentialsOf,
  GivenCredentialsOf,
  MediaKind,
  SettingsOf,
  TransportDefinition,
} from "./definition.ts";
import type { ChannelProfile, FileRef, MessageRef, TransportEvent } from "./events.ts";
import type { Keyboard } from "./keyboard.ts";
import type { LoginReply, LoginStep } from "./login.ts";
import type { Template, TemplateDraft } from "./template.ts";

// Part of the contract: what `link.request` takes, answers and throws.
export type { HttpAnswer, HttpRequest, TransportRequest } from "../../platform/http-client.ts";
export { HttpFailure } from "../../platform/http-client.ts";

/** Server half of a transport. Stateless: all state of one channel lives in its Session or in `link.state`. */
export interface TransportConnector<D extends TransportDefinition> {
  /**
   * Asks the messenger whose credentials these are, before anything is stored. Exists exactly where
   * `connect` is not `qr`. Throws `CredentialsError` when refused, `TransportError` when it cannot tell.
   */
  verify?(access: GivenAccessOf<D>, signal: AbortSignal): Promise<Verified<CredentialsOf<D>>>;
  /**
   * Signing in at the messenger, by which a person links a channel without typing credentials. Exists where `connect` is
   * `redirect` or `page`, and may exist where it is `credentials`. Runs on any node. The link's credentials may be missing
   * (`{}`), and so may the channel: then the link offers `settings`, `request`, `state` and `log`, and `visit.connect`
   * creates the channel.
   */
  readonly signIn?: SignIn<GivenCredentialsOf<D>, LinkOf<D>>;
  /**
   * Exists exactly where `connect` is `invitation`. The address that a person follows to link a channel which has no
   * credentials, with the code in it. Throws `CredentialsError`, in words for the client, where the installation has no
   * account that channels can share, `TransportError` where it cannot tell.
   */
  invite?(
    access: Pick<LinkOf<D>, "settings" | "request">,
    code: string,
    signal: AbortSignal,
  ): Promise<{ readonly url: string }>;
  /**
   * Opens the channel on the one node that owns it. Resolves once the link is being worked on; progress
   * arrives as `link` events. Must not throw for what the messenger says: that is a `link` event too.
   */
  open(link: LinkOf<D>): Promise<Session>;
  /**
   * Only transports that are called back over HTTP. Verifies the caller, emits, then answers what the messenger
   * expects. Runs on any node, without a session. An emit that fails must become a 5xx, so that the messenger
   * repeats.
   */
  receive?(request: InboundRequest, link: LinkOf<D>): Promise<InboundReply>;
  /**
   * The same for messengers that call one address for many channels. Exists where `calledBack` is `app`, and may exist
   * where it is `channel`.
   */
  receiveForApp?(request: InboundRequest, app: AppLink<LinkOf<D>>): Promise<InboundReply>;
  /**
   * Takes a deleted channel off the messenger, where its session could not: asked by the node that owns the channel, with
   * no session open, again and again for a day until it resolves. Resolves also where nothing is left to end; throws where
   * that is not certain. What it emits is dropped. Not needed where a link that is left behind does no harm.
   */
  leave?(link: LinkOf<D>): Promise<void>;
  /** Exists exactly where the capability does. Runs on any node. Throws `TransportError`. */
  readonly templates?: TemplateMethods<AccessOf<D>>;
}

export type LinkOf<D extends TransportDefinition> = ChannelLink<CredentialsOf<D>, SettingsOf<D>>;
/** Enough of a link to ask the messenger something. */
export type AccessOf<D extends TransportDefinition> = Pick<LinkOf<D>, "credentials" | "settings" | "request">;
/** The same with credentials as an owner gives them. */
export type GivenAccessOf<D extends TransportDefinition> = Pick<LinkOf<D>, "settings" | "request"> & {
  readonly credentials: GivenCredentialsOf<D>;
};

/** Whose credentials they are. */
export interface Verified<Stored> {
  readonly profile: ChannelProfile;
  /** What is stored in place of what was given; there exactly where the definition has `storedCredentials`. */
  readonly credentials?: Stored;
}

/** What the messenger lets clients do to a business's templates. News of them come as events. */
export interface TemplateMethods<Access> {
  /** Answers the template as it is now, usually under moderation. */
  create(access: Access, draft: TemplateDraft, signal: AbortSignal): Promise<Template>;
  /** Asks for another content; what a change leaves out stays. Answers the template as it is now. */
  change(
    access: Access,
    template: Template,
    change: Partial<Pick<Template, "category" | "components">>,
    signal: AbortSignal,
  ): Promise<Template>;
  /** Removing what is already gone succeeds. */
  remove(access: Access, template: Template, signal: AbortSignal): Promise<void>;
}

/** What a transport may touch while a messenger's call has not been assigned to channels yet. */
export interface AppLink<Link> {
  readonly settings: Link extends { readonly settings: infer Settings } ? Settings : never;
  readonly request: TransportRequest;
  /** Stable secret of this transport's callbacks in the installation: 64 hex digits. */
  readonly callbackSecret: string;
  /**
   * The channels that a call speaks of, by `ChannelProfile.messengerId` or `businessId`; unknown ids find nothing.
   * The ids are the caller's word: verify the caller before anything is emitted.
   */
  find(ids: {
    readonly messengerIds: readonly string[];
    readonly businessIds: readonly string[];
  }): Promise<readonly AppChannel<Link>[]>;
  /**
   * Whether a call may be taken for this channel at the moment: its budget and its account's are not used up, and not too
   * many of its reports wait to be stored. Where not, take the others and answer 429, so that the messenger repeats it.
   */
  mayTake(channel: AppChannel<Link>): boolean;
  /**
   * Has a channel pay for a call that its own secret vouches for, once the caller is verified: its bytes, and the time
   * that reading them took, for tenants know that secret. Events and dead letters are counted by themselves.
   */
  spend(channel: AppChannel<Link>, cost: { readonly bytes?: number; readonly ms?: number }): void;
  /** The channel whose code this is (`ChannelLink.codes`); null for any other text, and for a claim code that has served. */
  byCode(
    code: string,
  ): Promise<{ readonly kind: "claim" | "invitation"; readonly channel: AppChannel<Link> } | null>;
  /**
   * Links the channel of a claim code that a person brought: stores the credentials, and the channel opens with them
   * within moments. `refusal` says in words for that person why not.
   */
  claim(
    code: string,
    verified: Verified<Link extends { readonly credentials: infer Stored } ? Stored : never>,
  ): Promise<{ readonly profile: ChannelProfile } | { readonly refusal: string }>;
  /**
   * Remembers that something of the messenger's belongs to a channel, such as a person who came by its invitation. What
   * was bound before to another channel is its no more.
   */
  bind(key: string, channel: AppChannel<Link>): Promise<void>;
  /** The channels that these were bound to; those of deleted channels, and what was never bound, are missing. */
  bound(keys: readonly string[]): Promise<ReadonlyMap<string, AppChannel<Link>>>;
  readonly log: ChannelLink["log"];
}

export interface AppChannel<Link> {
  /** "" until the channel was linked for the first time. */
  readonly messengerId: string;
  readonly businessId: string | null;
  /** As in its profile; "" where there is none. */
  readonly phone: string;
  readonly link: Link;
}

/** What a person goes through at the messenger; see `TransportConnector.signIn`. */
export interface SignIn<Credentials, Link> {
  /** Whether the operator has set up what it needs, such as an application. Pure. */
  isOffered(link: { readonly settings: SettingsIn<Link> }): boolean;
  /** Address at the messenger where the person begins. Called only where it is offered; may be called repeatedly. */
  start(visit: SignInVisit<Credentials>, link: Link): Promise<string>;
  /** The messenger led the person back to `visit.returnUrl` with this query. */
  comeBack(visit: SignInVisit<Credentials>, link: Link, query: URLSearchParams): Promise<SignInReply>;
  /** The person chose one of the items of a `choice`. Exists where `comeBack` may answer one. */
  choose?(visit: SignInVisit<Credentials>, link: Link, id: string): Promise<SignInReply>;
}
type SettingsIn<Link> = Link extends { readonly settings: infer Settings } ? Settings : never;

/** One person's way through the sign-in. */
export interface SignInVisit<Credentials> {
  /** The same address for every channel, to be registered with the messenger; `state=` in its query identifies this visit. */
  readonly returnUrl: string;
  readonly state: string;
  /** Masks a text in every log from now on. */
  conceal(secret: string): void;
  /** Verifies and stores the credentials; the channel opens within moments. */
  connect(
    credentials: Credentials,
  ): Promise<{ readonly profile: ChannelProfile } | { readonly refusal: string }>;
}

/**
 * What the person sees next. `refused`: `description` is in English; the reasons `denied` (the person did not agree),
 * `unavailable` (the messenger does not answer), `nothing` (there is nothing to connect) and `outdated` (begin again) need
 * no words of the messenger.
 */
export type SignInReply =
  | { readonly kind: "connected"; readonly profile: ChannelProfile; readonly pin?: string }
  | { readonly kind: "choice"; readonly of: "community" | "number"; readonly items: readonly SignInChoice[] }
  | { readonly kind: "elsewhere"; readonly url: string }
  | { readonly kind: "refused"; readonly reason: SignInRefusal; readonly description: string };
export type SignInRefusal = "denied" | "unavailable" | "nothing" | "outdated" | "messenger" | "credentials";
export interface SignInChoice {
  readonly id: string;
  readonly name: string;
}

/** Everything a transport may touch. No database, no webhooks, no HTTP server, no environment. */
export interface ChannelLink<Credentials = unknown, Settings = unknown> {
  readonly channelId: string;
  /** As they are stored now: they change with `renewCredentials`, so read them anew for each request. */
  readonly credentials: Credentials;
  readonly settings: Settings;
  /**
   * Where the messenger can call back for this channel, or null when it cannot reach us: then poll. Never null where
   * the definition says `calledBack`.
   */
  readonly callbackUrl: string | null;
  /** Stable secret of that address: 64 hex digits. */
  readonly callbackSecret: string;
  /** The address of `receiveForApp`, where the connector has it; null when the messenger cannot reach us. */
  readonly appCallbackUrl: string | null;
  /**
   * Texts of 45 letters, digits, - and _ that name this channel where a messenger carries them through, as the parameter
   * of a deep link does (`AppLink.byCode`). The claim code serves until the channel has other credentials, and links it;
   * the invitation stays, for the customers of a channel that shares its account with others.
   */
  readonly codes: { readonly claim: string; readonly invitation: string };
  /**
   * Stores other credentials, such as a token with its refresh token, in one statement; `credentials` are the new ones
   * once it resolves. Only the session's link may: throws, and changes nothing, where the node does not own the channel
   * (any more). A messenger that takes a refresh token only once must not be asked for the next one before this has
   * resolved; where it rejects, keep the new ones and try again while `mayAct`.
   */
  renewCredentials(credentials: Credentials): Promise<void>;
  /** Small durable key-value store, encrypted (session keys, update offsets). */
  readonly state: {
    get(key: string): Promise<string | null>;
    set(key: string, value: string | null): Promise<void>;
  };
  /** The same for what is many: keys of encryption by family and id. */
  readonly vault: Vault;
  /**
   * Whether this node may act for the channel at this very moment. Ask right before connecting or writing to the
   * messenger by other ways than `request`: a node that was frozen must do nothing when it wakes.
   */
  mayAct(): boolean;
  /**
   * Await it before each attempt to open a lasting connection: the attempts of a node are spread, so that a restart
   * does not look like an attack. Rejects when the node may not act for the channel.
   */
  connectTurn(): Promise<void>;
  /** The only way out over HTTP: guarded, with time limits, redacted and kept in the channel's log. */
  readonly request: TransportRequest;
  /**
   * Resolves when the event is stored; only then acknowledge it upstream. Events of one chat are stored in the
   * order of the calls, so a batch may be emitted without awaiting each. Repeating an event is harmless.
   */
  emit(event: TransportEvent): Promise<void>;
  /**
   * Keeps something of the messenger's that cannot be read, for operators to look at and to replay; resolves when it is
   * stored, and only then acknowledge it upstream. `payload` is any JSON value without credentials, as much of it as
   * `Session.readAgain` needs. Repeating it is harmless.
   */
  deadLetter(payload: unknown, reason: string): Promise<void>;
  /** For what an operator should know at night. Never pass credentials. */
  log(level: "debug" | "info" | "warn", message: string, details?: Readonly<Record<string, unknown>>): void;
  /** Aborted when the channel closes or the node loses it; everything under way must then end. */
  readonly signal: AbortSignal;
}

/**
 * A durable, encrypted store of one channel. Only the channel's owner writes: a write that comes too late throws and
 * changes nothing.
 */
export interface Vault {
  /** What is not there is missing in the answer. */
  read(family: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Everything of a family, by id; one that is very long or no text has another name here, under which it is written, too. */
  readAll(family: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /** All entries in one transaction, in the order of the calls; `null` removes. The last of equal keys counts. */
  write(entries: readonly VaultEntry[]): Promise<void>;
  /** Removes everything of the channel. */
  clear(): Promise<void>;
}
export interface VaultEntry {
  readonly family: string;
  readonly id: string;
  readonly value: Uint8Array | null;
}

/**
 * A live channel. Optional methods exist exactly when the capabilities say so; the conformance kit checks it. The
 * signals given to its methods fire when the time for a call is over, and when `link.signal` does.
 */
export interface Session {
  /** Throws `TransportError` only. */
  send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage>;
  /** Idempotent, ends within five seconds, leaves the messenger's account linked. */
  close(): Promise<void>;
  edit?(ref: MessageRef, change: MessageChange, signal: AbortSignal): Promise<void>;
  /** Removing what is already gone succeeds. */
  remove?(ref: MessageRef, signal: AbortSignal): Promise<void>;
  /** Exists where inbound files do. The stream is consumed or destroyed by the caller. */
  openFile?(file: FileRef, signal: AbortSignal): Promise<OpenedFile>;
  /**
   * Takes a step of the login, of a kind that the capabilities name; resolves once the messenger has accepted it. Throws
   * `LoginRefused`, with `not_expected` where the session does not await this step now.
   */
  answer?(step: LoginStep): Promise<LoginReply>;
  /**
   * Ends the link in the messenger itself, where that is possible; called when a channel is deleted, and when the
   * messenger account turned out to belong to another channel. Throws where it is not certain that it has ended.
   */
  logout?(): Promise<void>;
  /**
   * Reads once more what was given to `link.deadLetter`: emits it, or gives it to `link.deadLetter` again. Exists where
   * the transport keeps dead letters. Throws where it can tell no more than before.
   */
  readAgain?(payload: unknown): Promise<void>;
}

export interface OpenedFile {
  readonly stream: Readable;
  readonly mimeType?: string;
  readonly size?: number;
  readonly name?: string;
}

export interface OutboundMessage {
  /** Our message id (uuid), the same at every attempt. */
  readonly id: string;
  readonly to: Recipient;
  readonly content: OutboundContent;
  readonly keyboard?: Keyboard;
  readonly quoted?: QuotedRef;
  /** Since the person wrote last, in ms; comments do not count. Absent: never, as far as is known here. */
  readonly quietMs?: number;
}

/**
 * The message that is answered. Where it is a comment on a post, the answer goes there as a public comment. What is
 * sent to a commenter without quoting a comment goes to them in private; how the messenger allows that to somebody who
 * only ever commented (Instagram: once per comment, within seven days) is the transport's to know.
 */
export interface QuotedRef extends MessageRef {
  /** `CommentedPost.id` of the post that the quoted message is a comment on. Absent: it is no comment. */
  readonly postId?: string;
}

export interface Recipient {
  readonly chatType: ChatType;
  readonly chatId?: string;
  readonly username?: string;
  readonly phone?: string;
}

export type OutboundContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly file: OutboundFile }
  /** `values` fill `slotsOf` in order, `payloads` the buttons that answer, in theirs; there may be too few or many. */
  | {
      readonly type: "template";
      readonly template: Template;
      readonly values: readonly string[];
      readonly payloads: readonly string[];
    };

/**
 * A file to send. Its link was accepted by the guard, its size and hash checked as far as the client stated
 * them. `open` streams it from disk as often as asked, with its exact size in bytes.
 */
export interface OutboundFile {
  readonly url: string;
  /** The link is on the public internet, so the messenger may fetch it by itself. */
  readonly urlIsPublic: boolean;
  /** The type that the link's server says, without parameters; whoever fetches it by itself goes by that. */
  readonly urlMimeType: string;
  readonly name: string;
  readonly mimeType: string;
  readonly kind: MediaKind;
  readonly size: number;
  open(): Readable;
}

export interface SentMessage {
  /** Where it went; may differ from the recipient when a username or phone was resolved or the chat moved. */
  readonly chatId: string;
  readonly externalId: string;
  readonly sentAt: Date;
}

export type MessageChange = { readonly text: string } | { readonly file: OutboundFile };

export interface InboundRequest {
  readonly method: string;
  /** What follows the channel's callback address, "" or "/…". */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}
export interface InboundReply {
  readonly status: number;
  readonly body?: string;
  /** Default: text/plain in UTF-8. */
  readonly contentType?: string;
  /** Such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A transport as core and the registry see it. */
export interface Transport {
  readonly definition: TransportDefinition;
  readonly connector: TransportConnector<TransportDefinition>;
}

/** Ties both halves; the types of credentials and settings are inferred from the definition. */
export function defineTransport<const D extends TransportDefinition>(
  definition: D,
  connector: TransportConnector<D>,
): Transport {
  return { definition, connector: connector as unknown as TransportConnector<TransportDefinition> };
}
