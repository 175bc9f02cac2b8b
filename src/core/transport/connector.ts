import type { Readable } from "node:stream";
import type { TransportRequest } from "../../platform/network/http-client.ts";
import type { ProxyRoute } from "../../platform/network/proxy/proxy.ts";
import type {
  ChatMark,
  ChatType,
  CredentialsOf,
  GivenCredentialsOf,
  SettingsOf,
  TransportDefinition,
} from "./definition.ts";
import type { ChannelProfile, FileRef, MessageRef, TransportEvent } from "./events.ts";
import type { GroupMethods } from "./groups.ts";
import type { Keyboard } from "./keyboard.ts";
import type { LoginReply, LoginStep } from "./login.ts";
import type { OutboundFile } from "./outbound-file.ts";
import type { Template, TemplateDraft } from "./template.ts";

// Part of the contract: what `link.request` accepts, returns and throws.
export type {
  HttpRequest,
  HttpResponse,
  TransportRequest,
} from "../../platform/network/http-client.ts";
export { HttpFailure } from "../../platform/network/http-client.ts";
export type { OutboundFile } from "./outbound-file.ts";

/** The server half of a transport. Stateless: all state of a channel is in its Session or in `link.state`. */
export interface TransportConnector<D extends TransportDefinition> {
  /**
   * Asks the messenger which account the credentials belong to, before anything is stored. Changes nothing at the
   * messenger. No session opens while another live channel has that account. Exists unless `connect` is `qr`. Throws `CredentialsError` if they are rejected, `TransportError` if the result is unknown.
   */
  verify?(access: GivenAccessOf<D>, signal: AbortSignal): Promise<Verified<CredentialsOf<D>>>;
  /**
   * Sign-in at the messenger, with which a person links a channel without typing credentials. Exists if `connect` is
   * `redirect` or `page`, and may exist if it is `credentials`. Runs on any node. The link's credentials may be
   * missing (`{}`), and so may the channel: then the link offers `settings`, `request`, `state` and `log`, and
   * `visit.connect` creates the channel.
   */
  readonly signIn?: SignIn<GivenCredentialsOf<D>, LinkOf<D>>;
  /**
   * Exists if and only if `connect` is `invitation`. Returns the address that a person opens to link a channel
   * without credentials; it contains the code. Throws `CredentialsError`, with a message for the client, if the
   * installation has no account that channels can share, `TransportError` if the result is unknown.
   */
  invite?(
    access: Pick<LinkOf<D>, "settings" | "request">,
    code: string,
    signal: AbortSignal,
  ): Promise<{ readonly url: string }>;
  /**
   * Opens the channel on the node that owns it. Resolves once the session has started; progress arrives as `link`
   * events. Must not throw for responses of the messenger: those are `link` events too.
   */
  open(link: LinkOf<D>): Promise<Session>;
  /**
   * Only for transports with HTTP callbacks. Verifies the caller, emits events, then returns the response that the
   * messenger expects. Runs on any node, without a session. If an emit fails, the response must be a 5xx, so that the
   * messenger retries.
   */
  receive?(request: InboundRequest, link: LinkOf<D>): Promise<InboundReply>;
  /**
   * The same for messengers that call one address for many channels. Exists if `calledBack` is `app`, and may exist
   * if it is `channel`.
   */
  receiveForApp?(request: InboundRequest, app: AppLink<LinkOf<D>>): Promise<InboundReply>;
  /**
   * Logs a deleted channel out at the messenger if its session could not. Called on the node that owns the channel,
   * without an open session, repeatedly for a day until it resolves. Resolves also if there is nothing to end; throws
   * if that is not certain. Emitted events are dropped. Not needed if a remaining link does no harm.
   */
  leave?(link: LinkOf<D>): Promise<void>;
  /** Exists if and only if the capability does. Runs on any node. Throws `TransportError`. */
  readonly templates?: TemplateMethods<AccessOf<D>>;
}

export type LinkOf<D extends TransportDefinition> = ChannelLink<CredentialsOf<D>, SettingsOf<D>>;
/** The part of a link that is needed to query the messenger. */
export type AccessOf<D extends TransportDefinition> = Pick<LinkOf<D>, "credentials" | "settings" | "request">;
/** The same with credentials as supplied by an owner. */
export type GivenAccessOf<D extends TransportDefinition> = Pick<LinkOf<D>, "settings" | "request"> & {
  readonly credentials: GivenCredentialsOf<D>;
};

/** The account that the credentials belong to. */
export interface Verified<Stored> {
  readonly profile: ChannelProfile;
  /** Stored instead of the supplied credentials; exists if and only if the definition has `storedCredentials`. */
  readonly credentials?: Stored;
}

/** Operations on the templates of a business. Changes by the messenger arrive as events. */
export interface TemplateMethods<Access> {
  /** Returns the new template, usually under moderation. */
  create(access: Access, draft: TemplateDraft, signal: AbortSignal): Promise<Template>;
  /** Requests a change; omitted fields keep their value. Returns the template. */
  change(
    access: Access,
    template: Template,
    change: Partial<Pick<Template, "category" | "components">>,
    signal: AbortSignal,
  ): Promise<Template>;
  /** Succeeds if the template does not exist. */
  remove(access: Access, template: Template, signal: AbortSignal): Promise<void>;
}

/** What a transport can access before a messenger's call is assigned to channels. */
export interface AppLink<Link> {
  readonly settings: Link extends { readonly settings: infer Settings } ? Settings : never;
  readonly request: TransportRequest;
  /** Stable secret of this transport's callbacks in the installation: 64 hex digits. */
  readonly callbackSecret: string;
  /**
   * The channels that a call refers to, by `ChannelProfile.messengerId` or `businessId`; unknown ids are ignored. The
   * ids are unverified input: verify the caller before emitting anything.
   */
  find(ids: {
    readonly messengerIds: readonly string[];
    readonly businessIds: readonly string[];
  }): Promise<readonly AppChannel<Link>[]>;
  /**
   * Whether a call for this channel can be accepted now: the budgets of the channel and its account are not used up,
   * and not too many of its events wait to be stored. If not, process the other channels and respond with 429, so
   * that the messenger retries.
   */
  mayTake(channel: AppChannel<Link>): boolean;
  /**
   * Charges a channel for a call that is signed with its own secret, after the caller is verified: for its bytes and
   * for the time to parse them, because tenants know that secret. Events and dead letters are charged automatically.
   */
  spend(channel: AppChannel<Link>, cost: { readonly bytes?: number; readonly ms?: number }): void;
  /**
   * The channel that this code belongs to (`ChannelLink.codes`); null for any other text, and for a used claim code.
   */
  byCode(
    code: string,
  ): Promise<{ readonly kind: "claim" | "invitation"; readonly channel: AppChannel<Link> } | null>;
  /**
   * Links the channel of a claim code: stores the credentials, and the channel opens with them within moments.
   * `refusal` is the reason for the person if that is not possible.
   */
  claim(
    code: string,
    verified: Verified<Link extends { readonly credentials: infer Stored } ? Stored : never>,
  ): Promise<{ readonly profile: ChannelProfile } | { readonly refusal: string }>;
  /**
   * Binds an object of the messenger to a channel, such as a person who followed its invitation. Replaces an earlier
   * binding to another channel.
   */
  bind(key: string, channel: AppChannel<Link>): Promise<void>;
  /** The same as `ChannelLink.reportUnknown` for what concerns no channel: counted, without a sample. */
  reportUnknown(kind: string): void;
  /** The channels that these are bound to, without those of deleted channels. */
  bound(keys: readonly string[]): Promise<ReadonlyMap<string, AppChannel<Link>>>;
  readonly log: ChannelLink["log"];
}

export interface AppChannel<Link> {
  /** "" until the channel is linked for the first time. */
  readonly messengerId: string;
  readonly businessId: string | null;
  /** As in its profile; "" if there is none. */
  readonly phone: string;
  readonly link: Link;
}

/** The steps of a person's sign-in at the messenger; see `TransportConnector.signIn`. */
export interface SignIn<Credentials, Link> {
  /** Whether the operator has set what it requires, such as an application. Pure. */
  isOffered(link: { readonly settings: SettingsIn<Link> }): boolean;
  /**
   * The address at the messenger where the sign-in starts. Called only if it is offered; may be called repeatedly.
   */
  start(visit: SignInVisit<Credentials>, link: Link): Promise<string>;
  /**
   * The messenger redirected the person back to `visit.returnUrl` with this query. Runs after the person has agreed to
   * the account that the channel is for, unless `offersBeforeConnecting`.
   */
  comeBack(visit: SignInVisit<Credentials>, link: Link, query: URLSearchParams): Promise<SignInReply>;
  /** The person selected an item of a `choice`. Exists if `comeBack` may return one. */
  choose?(visit: SignInVisit<Credentials>, link: Link, id: string): Promise<SignInReply>;
  /**
   * The messenger's code expires before a person can read a question. `comeBack` then runs at once: it exchanges the
   * code, keeps the result in `link.state`, connects nothing, and always offers a `choice`, also of one item; the page
   * asks together with the choice.
   */
  readonly offersBeforeConnecting?: true;
  /** The person does not agree: removes what `comeBack` kept. */
  discard?(visit: SignInVisit<Credentials>, link: Link): Promise<void>;
}
type SettingsIn<Link> = Link extends { readonly settings: infer Settings } ? Settings : never;

/** One sign-in of a person. */
export interface SignInVisit<Credentials> {
  /**
   * The redirect address to register at the messenger, the same for every channel; `state=` in its query identifies
   * this visit.
   */
  readonly returnUrl: string;
  readonly state: string;
  /** Masks a text in all further log entries. */
  conceal(secret: string): void;
  /** Verifies and stores the credentials; the channel opens within moments. */
  connect(
    credentials: Credentials,
  ): Promise<{ readonly profile: ChannelProfile } | { readonly refusal: string }>;
}

/**
 * What the person sees next. `refused`: `description` is in English; the reasons `denied` (the person did not
 * consent), `unavailable` (no response from the messenger), `nothing` (there is nothing to connect) and `outdated`
 * (start again) need no text of the messenger.
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

/** Everything that a transport can access. No database, no webhooks, no HTTP server, no environment. */
export interface ChannelLink<Credentials = unknown, Settings = unknown> {
  readonly channelId: string;
  /**
   * The id of the linked account (`ChannelProfile.messengerId`), as stored when the call arrived: refuse a call that
   * names another account. Null until the channel was linked for the first time, and for sessions, which may change it.
   */
  readonly messengerId: string | null;
  /** The stored credentials: `renewCredentials` changes them, so read them for each request. */
  readonly credentials: Credentials;
  readonly settings: Settings;
  /**
   * The messenger's callback address for this channel, or null if the messenger cannot reach us: then poll. Never
   * null if the definition has `calledBack`.
   */
  readonly callbackUrl: string | null;
  /** Stable secret of that address: 64 hex digits. */
  readonly callbackSecret: string;
  /** The address of `receiveForApp`, if the connector has it; null if the messenger cannot reach us. */
  readonly appCallbackUrl: string | null;
  /**
   * Texts of 45 letters, digits, - and _ that identify this channel when a messenger passes them through, for example
   * as the parameter of a deep link (`AppLink.byCode`). The claim code links the channel and is valid until its
   * credentials change. The invitation code does not change: it is for the customers of a channel that shares its
   * account with others.
   */
  readonly codes: { readonly claim: string; readonly invitation: string };
  /**
   * Stores new credentials, such as a token with its refresh token, in one statement; `credentials` returns them once
   * it resolves. Only for the session's link: throws, without effect, if the node does not own the channel. If the
   * messenger accepts a refresh token only once, do not request the next one before this has resolved; if it rejects,
   * keep the new credentials and retry while `mayAct`.
   */
  renewCredentials(credentials: Credentials): Promise<void>;
  /** Small durable key-value store, encrypted (session keys, update offsets). */
  readonly state: {
    get(key: string): Promise<string | null>;
    set(key: string, value: string | null): Promise<void>;
  };
  /** The same for large sets: encryption keys by family and id. */
  readonly vault: Vault;
  /**
   * Whether this node may act for the channel at this moment. Check immediately before connecting or writing to the
   * messenger other than through `request`: a node that was suspended must not send anything when it resumes.
   */
  mayAct(): boolean;
  /**
   * Await before each attempt to open a persistent connection: the attempts of a node are spread, so that a restart
   * does not look like an attack. Rejects if the node may not act for the channel.
   */
  permitConnect(): Promise<void>;
  /** The only way to send HTTP requests: guarded, with time limits, redacted and recorded in the channel's log. */
  readonly request: TransportRequest;
  /**
   * The proxy that every connection of the channel goes through; null: connections are direct. `request` already uses
   * it. Other connections use `openTunnel`, `ProxyTunnelAgent` or `proxyDispatcher` of `platform/network/proxy`, and never
   * resolve a name themselves. If the proxy fails, the connection fails.
   */
  readonly proxy: ProxyRoute | null;
  /**
   * Resolves when the event is stored; only then acknowledge it to the messenger. Events of one chat are stored in
   * the order of the calls, so a batch may be emitted without awaiting each. Idempotent.
   */
  emit(event: TransportEvent): Promise<void>;
  /**
   * The import of earlier messages that the channel's client asked for; null: none, or it has ended. Ask again between
   * batches: it ends early if the account's quota is used up. Exists for `Capabilities.history` only; keep the position
   * in `vault` or `state`, so that another session continues there.
   */
  history(): Promise<HistoryWish | null>;
  /**
   * Stores a report that cannot be parsed, for operators to inspect and replay; resolves when it is stored, and only
   * then acknowledge it to the messenger. `payload` is any JSON value without credentials, with everything that
   * `Session.reprocess` needs. Idempotent.
   */
  deadLetter(payload: unknown, reason: string): Promise<void>;
  /**
   * Reports a part of the messenger's report that the connector does not know, so that it is not dropped without a
   * trace: it is counted by `kind` (such as `changes.mentions`; not free text), and samples are kept for operators.
   * Resolves when it may be acknowledged; never rejects. `sample` is any value without credentials. Not for known
   * kinds that are ignored on purpose, nor for what `deadLetter` keeps.
   */
  reportUnknown(kind: string, sample: unknown): Promise<void>;
  /** Entries that help an operator to investigate. Never pass credentials. */
  log(level: "debug" | "info" | "warn", message: string, details?: Readonly<Record<string, unknown>>): void;
  /** Aborted when the channel closes or the node loses it; everything in progress must then end. */
  readonly signal: AbortSignal;
}

/** What is to be imported: messages that are not older than `since`. */
export interface HistoryWish {
  readonly since: Date;
}

/**
 * A durable, encrypted store of one channel. Only the channel's owner writes: a late write throws and has no effect.
 */
export interface Vault {
  /** Missing entries are missing in the result. */
  read(family: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Everything of a family, by id. An id that is very long or not valid text has another name here, which can also be
   * used for writing.
   */
  readAll(family: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Writes all entries in one transaction; transactions are executed in the order of the calls. `null` deletes. The
   * last of equal keys counts.
   */
  write(entries: readonly VaultEntry[]): Promise<void>;
  /** Deletes everything of the channel. */
  clear(): Promise<void>;
}
export interface VaultEntry {
  readonly family: string;
  readonly id: string;
  readonly value: Uint8Array | null;
}

/**
 * The time limit for a call of `Session.send`, `edit` or `remove`, including uploads. If a connector retries after a
 * refusal, it must give up before that: an aborted call counts as one with an unknown outcome.
 */
export const SEND_TIMEOUT_MS = 60_000;

/**
 * A live channel. Optional methods exist if and only if the capabilities say so; the conformance kit checks this. The
 * signals passed to its methods fire when the time for a call is over, and when `link.signal` does.
 */
export interface Session {
  /**
   * Throws `TransportError` only, or the error of the vault or state if that failed before the request: then it is called
   * again. What it stores after its request must not fail the call.
   */
  send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage>;
  /** Idempotent; ends within five seconds; leaves the messenger's account linked. */
  close(): Promise<void>;
  edit?(ref: MessageRef, change: MessageChange, signal: AbortSignal): Promise<void>;
  /** Succeeds if the message does not exist. */
  remove?(ref: MessageRef, signal: AbortSignal): Promise<void>;
  /**
   * Sets the account's reaction to a message, or removes it (null). Idempotent: it may be called again if the outcome is
   * unknown.
   */
  react?(target: ReactionTarget, emoji: string | null, signal: AbortSignal): Promise<void>;
  /**
   * Shows the people of a chat that their messages were read, or that the channel's account is typing (for a few seconds).
   * Idempotent.
   */
  mark?(chat: MarkedChat, mark: ChatMark, signal: AbortSignal): Promise<void>;
  readonly groups?: GroupMethods;
  /**
   * Looks up whether the messenger has an account with this number (international, digits only). Exists if
   * `Pacing.phoneChecks` does; core asks at that pace and keeps the results. Null: there is none. Throws `TransportError`.
   */
  findPerson?(phone: string, signal: AbortSignal): Promise<FoundPerson | null>;
  /**
   * Exists if inbound files do. The caller consumes or destroys the stream. `resume`: an earlier download was interrupted;
   * the session may continue it, or ignore this and open the whole file.
   */
  openFile?(file: FileRef, signal: AbortSignal, resume?: FileResume): Promise<OpenedFile>;
  /**
   * Performs a login step of a kind that the capabilities list; resolves once the messenger has accepted it. Throws
   * `LoginRefused`, with `not_expected` if the session does not expect this step now.
   */
  answer?(step: LoginStep): Promise<LoginReply>;
  /**
   * Ends the link in the messenger itself, if possible. Called when a channel is deleted, and, if `connect` is `qr`, when
   * the messenger account turns out to belong to another channel. Must not end another channel's link. Throws if it is
   * not certain that it has ended.
   */
  logout?(): Promise<void>;
  /**
   * Processes a payload of `link.deadLetter` again: emits it, or passes it to `link.deadLetter` again. Exists if the
   * transport creates dead letters. Throws if the result is no better than before.
   */
  reprocess?(payload: unknown): Promise<void>;
}

/** The account of a phone number. `chatId`: of the private chat with it. */
export interface FoundPerson {
  readonly chatId: string;
  readonly username?: string;
}

/** A message of either side. */
export interface ReactionTarget extends MessageRef {
  /** The account wrote it. */
  readonly isOwn: boolean;
  /** Its author, in a group. */
  readonly senderId?: string;
  /** The same at every attempt of this change, and another one for each change. */
  readonly changeId: string;
}

export interface MarkedChat {
  readonly chatType: ChatType;
  readonly chatId: string;
  /** The newest messages of the people in the chat, newest first; may be empty. */
  readonly messages: readonly MarkedMessage[];
}

export interface MarkedMessage {
  readonly externalId: string;
  /** Its author, in a group. */
  readonly senderId?: string;
  readonly sentAt: Date;
}

export interface OpenedFile {
  readonly stream: Readable;
  readonly mimeType?: string;
  /** Bytes of the whole file. */
  readonly size?: number;
  readonly name?: string;
  /** The first byte of the stream; absent: the stream is the whole file. */
  readonly from?: number;
  /** Identifies this content: a download can be continued only with the same. Absent: it cannot be continued. */
  readonly validator?: string;
}

/** Where a download continues. */
export interface FileResume {
  /** Bytes that are there already. */
  readonly from: number;
  /** Of the content that they belong to, see `OpenedFile`. */
  readonly validator: string;
}

export interface OutboundMessage {
  /** Our message id (uuid), the same at every attempt. */
  readonly id: string;
  readonly to: Recipient;
  readonly content: OutboundContent;
  readonly keyboard?: Keyboard;
  readonly quoted?: QuotedRef;
  /** Milliseconds since the person last wrote; comments do not count. Absent: never, as far as is known. */
  readonly quietMs?: number;
}

/**
 * The quoted message. If it is a comment on a post, the reply is posted there as a public comment. A message to a
 * commenter without a quote is private; how the messenger allows this for a person who has only commented (Instagram:
 * once per comment, within seven days) is up to the transport.
 */
export interface QuotedRef extends MessageRef {
  /** `CommentedPost.id` of the post that the quoted message is a comment on. Absent: it is not a comment. */
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
  /** `caption` only if the capabilities have a `maxCaptionLength` for files of this kind; never empty. */
  | { readonly type: "file"; readonly file: OutboundFile; readonly caption?: string }
  /**
   * `values` fill `slotsOf` in order, `payloads` the quick-reply buttons in order; there may be too few or too many.
   */
  | {
      readonly type: "template";
      readonly template: Template;
      readonly values: readonly string[];
      readonly payloads: readonly string[];
    };

export interface SentMessage {
  /** The chat it was sent to; may differ from the recipient if a username or phone was resolved or the chat moved. */
  readonly chatId: string;
  readonly externalId: string;
  readonly sentAt: Date;
}

export type MessageChange = { readonly text: string } | { readonly file: OutboundFile };

export interface InboundRequest {
  readonly method: string;
  /** The rest of the path after the channel's callback address, "" or "/…". */
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
  /** For example `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A transport as core and the registry see it. */
export interface Transport {
  readonly definition: TransportDefinition;
  readonly connector: TransportConnector<TransportDefinition>;
}

/** Combines both halves; the types of credentials and settings are inferred from the definition. */
export function defineTransport<const D extends TransportDefinition>(
  definition: D,
  connector: TransportConnector<D>,
): Transport {
  return { definition, connector: connector as unknown as TransportConnector<TransportDefinition> };
}
