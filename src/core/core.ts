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
import type { TransportRegistry } from "./transport/registry.ts";
import type { Wakes } from "./wakes.ts";

/** What the functions of core stand on. Made once by `main.ts`; nothing in it belongs to one account. */
export interface Core {
  readonly db: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly files: FileStore;
  readonly transports: TransportRegistry;
  readonly wakes: Wakes;
  readonly accept: AcceptQueue;
  readonly live: LiveTeller;
  readonly reports: ReportQueue;
  readonly channelLog: ChannelLogQueue;
  readonly deadLetters: DeadLetterQueue;
  readonly callbackBudgets: CallbackBudgets;
  readonly caches: Caches;
  readonly settings: CoreSettings;
}

/** Rows that hardly change, kept to spare the database a question per request. */
export interface Caches {
  readonly chats: Cache<string, ChatKey>;
  /** Chats whose picture was asked for of late. */
  readonly avatars: Cache<string, true>;
  /** Short-lived and dropped when a channel changes: a request may see a status that is a second old, no more. */
  readonly channels: Cache<string, Channel>;
}

export interface CoreSettings {
  /** Base of links given to clients and messengers, without a trailing slash. */
  readonly publicUrl: string;
  /** Whether messengers may call `publicUrl`. */
  readonly callbacks: boolean;
  /** Requests per account and minute; 0 lifts the limit. */
  readonly rateLimitPerMinute: number;
  /** Minutes in which so many are counted: 1 to 60, one for the interface. */
  readonly rateLimitWindowMinutes: number;
  readonly allowNetworks: readonly string[];
  readonly webhookContentType: string;
  readonly quotas: Quotas;
}

/** Whose data a function may touch. Every statement on tenant tables takes its account from here. */
export interface Scope {
  readonly accountId: number;
}
