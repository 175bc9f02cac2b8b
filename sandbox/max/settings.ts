import { type Fields, invalid } from "../http/fields.ts";

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
  /** Clients below this version are refused. */
  minVersion: "26.0.0",
  /** Each LOGIN brings a new token. */
  rotateTokens: false,
  /** Clients also get the push of what they sent themselves. */
  echoOwn: false,
  /** Typing is told only to those who subscribed to the chat. */
  typingNeedsSubscription: true,
  /** Codes by SMS want a captcha first. */
  captcha: false,
  /** `removed`: deletions are told by push 128 with the status REMOVED; `deleted`: by push 142. */
  deletions: "removed" as string,
  /** Which ids are wrapped in binary frames: `large` (beyond 32 bits) or `all`. */
  wrapIds: "large" as string,
  /** A phone number without account: `error` (command 3) or `empty` (command 2 without payload). */
  notFoundAs: "error" as string,
};

export type Settings = typeof defaultSettings;

const choices: Readonly<Record<string, readonly string[]>> = {
  deletions: ["removed", "deleted"],
  wrapIds: ["large", "all"],
  notFoundAs: ["error", "empty"],
};

/** The settings with those changed that the body names, in snake_case. Throws for a value of another type. */
export function changeSettings(settings: Settings, body: Fields): Settings {
  const changes = Object.entries(settings).flatMap(([name, value]) => {
    const field = snakeCase(name);
    return body.has(field) ? [[name, readLike(value, body, { name, field })] as const] : [];
  });
  return { ...settings, ...Object.fromEntries(changes) };
}

function readLike(value: unknown, body: Fields, { name, field }: { name: string; field: string }): unknown {
  if (typeof value === "boolean") return body.flag(field);
  if (typeof value === "number") return body.integer(field);
  const text = body.needText(field);
  const allowed = choices[name];
  if (allowed && !allowed.includes(text)) throw invalid(field, `one of ${allowed.join(", ")}`);
  return text;
}

export function describeSettings(settings: Settings): unknown {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [snakeCase(name), value]));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
