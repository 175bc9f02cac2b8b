import type { SettingKinds } from "../trouble/settings.ts";
import type { IdWrapping } from "./wire/body.ts";

/** What a test may change for everybody; times in milliseconds. */
export const defaultSettings = {
  /** How long a QR code can be scanned, and how often clients are told to ask. */
  qrTtlMs: 120_000,
  qrPollingMs: 5_000,
  /** How long a code by SMS is good. */
  codeTtlMs: 60_000,
  /** The server pings a client that was silent for so long; without an answer within `pongMs` the line ends. */
  pingMs: 30_000,
  pongMs: 15_000,
  /** Who sends no request at all for so long is cut off, even if pings are answered. */
  idleMs: 90_000,
  /** How long a file is processed after its upload. */
  processingMs: 20,
  linkTtlMs: 3_600_000,
  editWindowMs: 604_800_000,
  /** How long a subscription to a chat's typing lasts. */
  subscriptionMs: 90_000,
  textLimit: 4_000,
  maxFileBytes: 4 * 1024 * 1024 * 1024,
  /** At most so many messages in one answer to CHAT_HISTORY, and chats in one to CHATS_LIST. */
  historyPage: 100,
  chatsPage: 40,
  /** Clients below this major version are refused. */
  minVersion: 26,
  /** Each LOGIN brings a new token. */
  rotateTokens: false,
  /** Clients also get the push of what they sent themselves. */
  echoOwn: false,
  /** Typing is told only to those who subscribed to the chat. */
  typingNeedsSubscription: true,
  /** Codes by SMS want a captcha first. */
  captcha: false,
  /** `removed`: deletions are told by push 128 with the status REMOVED; `deleted`: by push 142. */
  deletions: "removed" as "removed" | "deleted",
  /** Which ids are wrapped in binary frames: `large` (beyond 32 bits) or `all`. */
  wrapIds: "large" as IdWrapping,
  /** A phone number without account: `error` (command 3) or `empty` (command 2 without payload). */
  notFoundAs: "error" as "error" | "empty",
};

export type Settings = typeof defaultSettings;

/** How the admin API reads each. */
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
};
