import type { SettingKinds } from "../trouble/settings.ts";
import type { IdWrapping } from "./wire/body.ts";

/** Settings of the whole emulator that a test may change; times in milliseconds. */
export const defaultSettings = {
  /** How long a QR code can be scanned, and the polling interval for clients. */
  qrTtlMs: 120_000,
  qrPollingMs: 5_000,
  /** How long a code sent by SMS is valid. */
  codeTtlMs: 60_000,
  /**
   * The server pings a client that was silent for this long; without a response within `pongMs` the connection ends.
   */
  pingMs: 30_000,
  pongMs: 15_000,
  /** A client that sends no request for this long is disconnected, even if it answers pings. */
  idleMs: 90_000,
  /** How long a file is processed after its upload. */
  processingMs: 20,
  linkTtlMs: 3_600_000,
  editWindowMs: 604_800_000,
  /** How long a subscription to a chat's typing lasts. */
  subscriptionMs: 90_000,
  textLimit: 4_000,
  maxFileBytes: 4 * 1024 * 1024 * 1024,
  /** Maximum messages in a response to CHAT_HISTORY, and chats in one to CHATS_LIST. */
  historyPage: 100,
  chatsPage: 40,
  /** Clients below this major version are refused. */
  minVersion: 26,
  /** Each LOGIN returns a new token. */
  rotateTokens: false,
  /** Clients also get pushes of their own messages. */
  echoOwn: false,
  /** Typing is reported only to subscribers of the chat. */
  typingNeedsSubscription: true,
  /** Codes by SMS require a captcha first. */
  captcha: false,
  /** `removed`: deletions are reported by push 128 with the status REMOVED; `deleted`: by push 142. */
  deletions: "removed" as "removed" | "deleted",
  /** Which ids are wrapped in binary frames: `large` (beyond 32 bits) or `all`. */
  wrapIds: "large" as IdWrapping,
  /**
   * The response for a phone number without an account: `error` (command 3) or `empty` (command 2 without payload).
   */
  notFoundAs: "error" as "error" | "empty",
  /** Seed of the fields and pushes that MAX adds without notice; 0: none. See `Novelty`. */
  novelty: 0,
};

export type Settings = typeof defaultSettings;

/** How the admin API parses each setting. */
export const settingKinds: SettingKinds<Settings> = {
  qrTtlMs: "integer",
  qrPollingMs: "integer",
  codeTtlMs: "integer",
  pingMs: "integer",
  pongMs: "integer",
  idleMs: "integer",
  processingMs: "integer",
  linkTtlMs: "integer",
  editWindowMs: "integer",
  subscriptionMs: "integer",
  textLimit: "integer",
  maxFileBytes: "integer",
  historyPage: "integer",
  chatsPage: "integer",
  rotateTokens: "flag",
  echoOwn: "flag",
  typingNeedsSubscription: "flag",
  captcha: "flag",
  deletions: ["removed", "deleted"],
  wrapIds: ["large", "all"],
  notFoundAs: ["error", "empty"],
  minVersion: "integer",
  novelty: "integer",
};
