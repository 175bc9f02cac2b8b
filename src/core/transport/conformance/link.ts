import { randomUUID } from "node:crypto";
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent } from "undici";
import { createHttpClient } from "../../../platform/network/http-client.ts";
import type { ProxyRoute } from "../../../platform/network/proxy/proxy.ts";
import type { ChannelLink, HistoryWish, HttpRequest, Vault } from "../connector.ts";
import type { TransportEvent } from "../events.ts";
import { sampleText } from "../sample.ts";

interface LogLine {
  readonly level: "debug" | "info" | "warn";
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

/** A link in memory with a real HTTP client, which records everything that a transport does with it. */
export interface TestLink<Credentials, Settings> extends ChannelLink<Credentials, Settings> {
  readonly events: TransportEvent[];
  readonly logs: LogLine[];
  readonly deadLetters: { readonly payload: unknown; readonly reason: string }[];
  readonly unknown: { readonly kind: string; readonly sample: unknown }[];
  /** Address, headers and text of each request, as sent. */
  readonly exchanges: string[];
  /** Replaces what `emit` does, until the next call; `null` restores storing. */
  onEmit(handler: ((event: TransportEvent) => Promise<void>) | null): void;
  /** Resolves with the first event, past or future, that matches. */
  waitFor(matches: (event: TransportEvent) => boolean): Promise<TransportEvent>;
  /** The same for log lines. */
  waitForLog(matches: (line: LogLine) => boolean): Promise<LogLine>;
  /** The channel closes, or the node loses it. */
  abort(): void;
  /** Closes the connections to the messenger. */
  dispose(): Promise<void>;
}

export interface TestLinkOptions<Credentials, Settings> {
  readonly credentials: Credentials;
  readonly settings: Settings;
  readonly callbackUrl?: string | null;
  readonly messengerId?: string | null;
  readonly history?: HistoryWish | null;
  readonly proxy?: ProxyRoute | null;
}

/** The link of any transport. */
export type AnyLink = TestLink<Readonly<Record<string, string>>, Readonly<Record<string, string>>>;

/** With the cases' credentials in their stored form, and settings that point to this address. */
export function linkTo(
  url: string,
  cases: {
    readonly credentials: Readonly<Record<string, string>>;
    readonly stored?: Readonly<Record<string, string>>;
    settings(url: string): Readonly<Record<string, string>>;
  },
): AnyLink {
  return createTestLink({ credentials: cases.stored ?? cases.credentials, settings: cases.settings(url) });
}

/** Codes of test links; real ones have the same form. */
const TEST_CODES = { claim: `c${"C".repeat(44)}`, invitation: `i${"I".repeat(44)}` };

export const TEST_CALLBACK_SECRET = "5ec2e7".repeat(10).concat("5ec2");

export function createTestLink<Credentials, Settings>(
  options: TestLinkOptions<Credentials, Settings>,
): TestLink<Credentials, Settings> {
  const lifetime = new AbortController();
  const agent = new Agent({ connect: { lookup: lookUpLocally } });
  // Does not redact, on purpose: a transport whose addresses contain secrets must not include a failure's message in
  // its own.
  const request = createHttpClient({ dispatcher: agent, redact: (text) => text });
  const events = createTape<TransportEvent>();
  const logs = createTape<LogLine>();
  const exchanges: string[] = [];
  const deadLetters: { payload: unknown; reason: string }[] = [];
  const unknown: { kind: string; sample: unknown }[] = [];
  let credentials = options.credentials;
  let handler: ((event: TransportEvent) => Promise<void>) | null = null;
  return {
    channelId: randomUUID(),
    messengerId: options.messengerId ?? null,
    get credentials() {
      return credentials;
    },
    async renewCredentials(next) {
      credentials = next;
    },
    settings: options.settings,
    callbackUrl: options.callbackUrl ?? null,
    callbackSecret: TEST_CALLBACK_SECRET,
    appCallbackUrl: options.callbackUrl ?? null,
    codes: TEST_CODES,
    state: createTestState(),
    vault: createTestVault(),
    proxy: options.proxy ?? null,
    mayAct: () => !lifetime.signal.aborted,
    permitConnect: async () => lifetime.signal.throwIfAborted(),
    request(http) {
      exchanges.push(`${http.method} ${http.url} ${JSON.stringify(http.headers ?? {})} ${textOf(http)}`);
      return request(http);
    },
    async emit(event) {
      if (handler !== null) await handler(event);
      events.add(event);
    },
    history: async () => options.history ?? null,
    async deadLetter(payload, reason) {
      // In the stored form: JSON drops what it cannot represent.
      deadLetters.push({ payload: JSON.parse(JSON.stringify(payload) ?? "null"), reason });
    },
    async reportUnknown(kind, sample) {
      unknown.push({ kind, sample: JSON.parse(sampleText(sample)) });
    },
    log: (level, message, details) => logs.add({ level, message, details }),
    signal: lifetime.signal,
    events: events.items,
    logs: logs.items,
    deadLetters,
    unknown,
    exchanges,
    onEmit(next) {
      handler = next;
    },
    waitFor: events.waitFor,
    waitForLog: logs.waitFor,
    abort: () => lifetime.abort(),
    dispose: () => agent.destroy(),
  };
}

function createTestState(): ChannelLink<unknown, unknown>["state"] {
  const values = new Map<string, string>();
  return {
    get: async (key) => values.get(key) ?? null,
    set: async (key, value) => void (value === null ? values.delete(key) : values.set(key, value)),
  };
}

/**
 * No name resolves to another machine: samples contain addresses of real messengers, and connectors request their
 * files.
 */
const lookUpLocally: LookupFunction = (name, options, callback) => {
  if (name === "localhost") return lookup(name, options, callback);
  const error = Object.assign(new Error(`${name} is not requested in tests`), { code: "ENOTFOUND" });
  return callback(error, []);
};

function createTestVault(): Vault {
  const entries = new Map<string, Map<string, Uint8Array>>();
  const familyOf = (family: string): Map<string, Uint8Array> => entries.get(family) ?? new Map();
  return {
    read: async (family, ids) => {
      const wanted = new Set(ids);
      return new Map([...familyOf(family)].filter(([id]) => wanted.has(id)));
    },
    readAll: async (family) => new Map(familyOf(family)),
    async write(changes) {
      for (const { family, id, value } of changes) {
        const known = familyOf(family);
        if (value === null) known.delete(id);
        else known.set(id, Uint8Array.from(value));
        entries.set(family, known);
      }
    },
    clear: async () => entries.clear(),
  };
}

interface Tape<T> {
  readonly items: T[];
  add(item: T): void;
  waitFor(matches: (item: T) => boolean): Promise<T>;
}

function createTape<T>(): Tape<T> {
  const items: T[] = [];
  const waiting = new Set<(item: T) => void>();
  return {
    items,
    add(item) {
      items.push(item);
      for (const offer of waiting) offer(item);
    },
    waitFor(matches) {
      const found = items.find(matches);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((resolve) => {
        const offer = (item: T): void => {
          if (!matches(item)) return;
          waiting.delete(offer);
          resolve(item);
        };
        waiting.add(offer);
      });
    },
  };
}

function textOf({ body }: HttpRequest): string {
  if (body === undefined) return "";
  return typeof body === "string"
    ? body
    : body instanceof Uint8Array
      ? Buffer.from(body).toString()
      : "(stream)";
}
