import type { Database } from "../database/database.ts";
import type { Clock } from "../platform/clock.ts";
import type { FileStore } from "../platform/file/files.ts";
import type { Log } from "../platform/log.ts";
import type { ProviderOptions } from "../platform/network/openid.ts";
import type { Seal } from "../platform/seal.ts";
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
  /**
   * Base of links given to clients and messengers, without a trailing slash. In a cell with a name it ends with the path of
   * the cell.
   */
  readonly publicUrl: string;
  /** The same without the path: what all cells share. */
  readonly installationUrl: string;
  /** The name of this cell, which its addresses and tokens contain; null in an installation without names. */
  readonly cell: string | null;
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
  readonly alerts: AlertSettings;
  readonly console: ConsoleSettings;
}

/** How people sign in to the console. */
export interface ConsoleSettings {
  /** Whether passwords are accepted. */
  readonly passwords: boolean;
  /** Null: there is no provider. */
  readonly provider: ProviderSettings | null;
}

/** A provider of OpenID Connect at which people sign in to the console. */
export interface ProviderSettings extends ProviderOptions {
  /** What the button calls the provider. */
  readonly name: string;
  /** Name or path of the claim that decides about the role. */
  readonly roleClaim: string;
  readonly roles: readonly RoleRule[];
  /** A session ends after this time, whatever happens. */
  readonly sessionMs: number;
}

/** Who has the value in the claim has the role. */
export interface RoleRule {
  readonly value: string;
  readonly role: "operator" | "admin" | "viewer";
  /** Null: the whole installation. */
  readonly accountId: number | null;
}

/** How operators are told of problems. */
export interface AlertSettings {
  readonly webhook: { readonly url: string; readonly secret: string } | null;
  readonly email: {
    readonly smtpUrl: string;
    /** Whether mail is sent only over TLS. */
    readonly requireTls: boolean;
    readonly from: string;
    readonly to: readonly string[];
  } | null;
  /** A problem is reported once it has lasted this long. */
  readonly afterMs: number;
  /** The shortest time between two notifications to a target. */
  readonly everyMs: number;
}

/** The quotas of an account, and of a partner; 0 disables a quota. */
export interface Quotas {
  /** Accounts of one partner. */
  readonly accounts: number;
  /** Channels that are not deleted. */
  readonly channels: number;
  /** Channels that are not linked yet: each may hold a session that shows QR codes. */
  readonly unlinkedChannels: number;
  /** Bytes of files of inbound messages, chat pictures and exports. */
  readonly fileBytes: number;
  /** Messages, edits and deletions waiting to be sent. */
  readonly waitingSends: number;
  /** Subscriptions to single events. */
  readonly subscriptions: number;
  /** Employees of the CRM, which are listed in one response. */
  readonly employees: number;
  /** Contacts of the CRM. */
  readonly contacts: number;
  /** Deals of the CRM. */
  readonly deals: number;
  /** Bytes of contacts and deals. */
  readonly crmBytes: number;
  /** Canned answers, which are listed in one response. */
  readonly cannedAnswers: number;
  /** Messages imported from messengers' histories. */
  readonly historyMessages: number;
}
