import type { Readable } from "node:stream";
import type { TransportRequest } from "../../platform/http-client.ts";
import type { ChatType, CredentialsOf, MediaKind, SettingsOf, TransportDefinition } from "./definition.ts";
import type { ChannelProfile, FileRef, MessageRef, TransportEvent } from "./events.ts";
import type { Keyboard } from "./keyboard.ts";

// Part of the contract: what `link.request` takes, answers and throws.
export type { HttpAnswer, HttpRequest, TransportRequest } from "../../platform/http-client.ts";
export { HttpFailure } from "../../platform/http-client.ts";

/** Server half of a transport. Stateless: all state of one channel lives in its Session or in `link.state`. */
export interface TransportConnector<D extends TransportDefinition> {
  /**
   * Asks the messenger whose credentials these are, before anything is stored. Exists exactly where
   * `connect` is `credentials`. Throws `CredentialsError` when refused, `TransportError` when it cannot tell.
   */
  verify?(
    access: Pick<LinkOf<D>, "credentials" | "settings" | "request">,
    signal: AbortSignal,
  ): Promise<ChannelProfile>;
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
}

export type LinkOf<D extends TransportDefinition> = ChannelLink<CredentialsOf<D>, SettingsOf<D>>;

/** Everything a transport may touch. No database, no webhooks, no HTTP server, no environment. */
export interface ChannelLink<Credentials = unknown, Settings = unknown> {
  readonly channelId: string;
  readonly credentials: Credentials;
  readonly settings: Settings;
  /** Where the messenger can call this channel back, or null when it cannot reach us: then poll. */
  readonly callbackUrl: string | null;
  /** Stable secret of this channel for callbacks: 64 hex digits. */
  readonly callbackSecret: string;
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
  /** The only way out over HTTP: guarded, with time limits, redacted and kept in the channel's log. */
  readonly request: TransportRequest;
  /**
   * Resolves when the event is stored; only then acknowledge it upstream. Events of one chat are stored in the
   * order of the calls, so a batch may be emitted without awaiting each. Repeating an event is harmless.
   */
  emit(event: TransportEvent): Promise<void>;
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
  /** Everything of a family, by id. */
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
  /** Throws `LoginRefused`. */
  submitPassword?(password: string): Promise<void>;
  /** Resolves with the code once the messenger accepted the request for it. Throws `LoginRefused`. */
  requestPairingCode?(phone: string | null): Promise<{ readonly code: string; readonly phone: string }>;
  /**
   * Ends the link in the messenger itself, where that is possible; called when a channel is deleted, and when the
   * messenger account turned out to belong to another channel.
   */
  logout?(): Promise<void>;
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
  readonly quoted?: MessageRef;
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
  | {
      readonly type: "template";
      readonly id: string;
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
