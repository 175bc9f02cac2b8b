import type { Database } from "../database/database.ts";
import type { Clock } from "../platform/clock.ts";
import type { FileStore } from "../platform/files.ts";
import type { Log } from "../platform/log.ts";
import type { Seal } from "../platform/seal.ts";
import type { Cache } from "./cache.ts";
import type { Channel } from "./channel/channel.ts";
import type { ChannelLogQueue } from "./channel/channel-log.ts";
import type { ChatKey } from "./chat/chats.ts";
import type { CallbackBudgets } from "./inbound/callback-budgets.ts";
import type { DeadLetterQueue } from "./inbound/dead-letters.ts";
import type { LiveTeller } from "./live/teller.ts";
import type { AcceptQueue } from "./message/accept.ts";
import type { ReportQueue } from "./message/report-queue.ts";
import type { Quotas } from "./quota/quotas.ts";
import type { Signals } from "./signals.ts";
import type { TransportRegistry } from "./transport/registry.ts";

/** The dependencies of core's functions. Created once by `main.ts`; nothing in it belongs to one account. */
export interface Core {
  readonly db: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly files: FileStore;
  readonly transports: TransportRegistry;
  readonly wakes: Signals;
  readonly accept: AcceptQueue;
  readonly live: LiveTeller;
  readonly reports: ReportQueue;
  readonly channelLog: ChannelLogQueue;
  readonly deadLetters: DeadLetterQueue;
  readonly callbackBudgets: CallbackBudgets;
  readonly caches: Caches;
  readonly settings: CoreSettings;
}

/** Caches of rows that rarely change, to save the database a query per request. */
export interface Caches {
  readonly chats: Cache<string, ChatKey>;
  /** Chats whose picture was requested recently. */
  readonly avatars: Cache<string, true>;
  /** Short-lived, and invalidated when a channel changes: a request may see a status that is at most a second old. */
  readonly channels: Cache<string, Channel>;
}

export interface CoreSettings {
  /** Base of links given to clients and messengers, without a trailing slash. */
  readonly publicUrl: string;
  /** Whether messengers may call `publicUrl`. */
  readonly callbacks: boolean;
  /** Requests per account and window; 0 disables the limit. */
  readonly rateLimitPerMinute: number;
  /** Length of the window in minutes: 1 to 60; the interface's is 1. */
  readonly rateLimitWindowMinutes: number;
  readonly allowNetworks: readonly string[];
  readonly webhookContentType: string;
  readonly quotas: Quotas;
}

/** The account that a function may access. Every statement on tenant tables takes its account from here. */
export interface Scope {
  readonly accountId: number;
}
