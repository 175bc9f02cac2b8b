import type { Database } from "../database/database.ts";
import type { Clock } from "../platform/clock.ts";
import type { FileStore } from "../platform/file/files.ts";
import type { Log } from "../platform/log.ts";
import type { Seal } from "../platform/seal.ts";
import type { Quotas } from "./quota/quotas.ts";
import type { Signals } from "./signals.ts";
import type { TransportRegistry } from "./transport/registry.ts";

/**
 * What every domain may use; it contains nothing of a domain. A function that needs more says so in its parameter's
 * type, such as `Base & HasLive`.
 */
export interface Base {
  readonly db: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly files: FileStore;
  readonly transports: TransportRegistry;
  readonly signals: Signals;
  readonly settings: CoreSettings;
}

export interface CoreSettings {
  /** Base of links given to clients and messengers, without a trailing slash. */
  readonly publicUrl: string;
  /** Whether messengers may call `publicUrl`. */
  readonly callbacks: boolean;
  /** Requests allowed per account and window; 0: no limit. */
  readonly rateLimitPerMinute: number;
  /** Length of the window in minutes: 1 to 60; the interface's is 1. */
  readonly rateLimitWindowMinutes: number;
  readonly allowNetworks: readonly string[];
  /** The operator's proxies by transport, as URLs: each channel has one of its transport's. Missing or empty: none. */
  readonly exits: Readonly<Record<string, readonly string[]>>;
  readonly webhookContentType: string;
  /** How long messages are kept; 0: for ever. */
  readonly messageRetentionDays: number;
  readonly quotas: Quotas;
}
