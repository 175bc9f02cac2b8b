import { randomUUID } from "node:crypto";
import { vi } from "vitest";
import { readQr } from "../../sandbox/qr-reader.ts";
import { startWhatsapp } from "../../sandbox/whatsapp/server.ts";
import { createTestLink, type TestLink } from "../../src/core/transport/conformance.ts";
import type { OutboundContent, OutboundMessage, Session } from "../../src/core/transport/connector.ts";
import type {
  ChannelProfile,
  InboundMessage,
  LinkState,
  TransportEvent,
} from "../../src/core/transport/events.ts";
import { isolate } from "../../src/core/transport/isolation/isolate.ts";
import { definition } from "../../src/transports/whatsapp/definition.ts";

type Json = Record<string, unknown>;
type Settings = { readonly wsUrl: string; readonly ca: string; readonly rootKey: string };
type Link = TestLink<Record<string, never>, Settings>;

/** The emulated WhatsApp, as a test steers it. */
export interface WhatsappStand {
  readonly settings: Settings;
  /** The same as environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** An admin request that must succeed, e.g. `admin("POST /people", {...})`. */
  admin<T = Json>(route: string, body?: object): Promise<T>;
  /** A person of its own; answers the phone number. */
  addPerson(name?: string): Promise<string>;
  close(): Promise<void>;
}

let people = 0;

export async function startWhatsappStand(): Promise<WhatsappStand> {
  const emulator = await startWhatsapp();
  const admin = async <T>(route: string, body?: object): Promise<T> => {
    const [method = "GET", path = "/"] = route.split(" ");
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const answer = await fetch(emulator.admin + path, init);
    if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  return {
    settings: { wsUrl: emulator.url, ca: emulator.caFile, rootKey: emulator.rootKey },
    environment: {
      WHATSAPP_WS_URL: emulator.url,
      WHATSAPP_CA: emulator.caFile,
      WHATSAPP_ROOT_KEY: emulator.rootKey,
    },
    admin,
    async addPerson(name = "Ann") {
      const phone = String(79_990_000_000 + ++people);
      await admin("POST /people", { phone, name });
      return phone;
    },
    close: () => emulator.close(),
  };
}

export type Hosts = ReturnType<typeof hastySessions>;

/** Sessions in worker processes that wait less than real ones. */
export function hastySessions() {
  return isolate(definition, {
    entry: new URL("../system/programs/hasty-whatsapp.ts", import.meta.url),
    sessionsPerWorker: 100,
    maxRssBytes: 2 ** 40,
    maxHeapMegabytes: 512,
    environment: ({ ca }) => ({ NODE_EXTRA_CA_CERTS: ca }),
  });
}

/** A channel with its session, and the events that it emitted. */
export interface Account {
  readonly phone: string;
  readonly link: Link;
  session: Session;
  /** The first state, past or to come, after those that `seen` counted before. */
  state(status: string, reason?: string): Promise<LinkState>;
  /** How many events there were so far; waiting looks at later ones only. */
  mark(): void;
  events(): TransportEvent[];
  wait<T extends TransportEvent["kind"]>(
    kind: T,
    fits?: (event: Extract<TransportEvent, { kind: T }>) => boolean,
  ): Promise<Extract<TransportEvent, { kind: T }>>;
  send(
    chatId: string,
    content: string | OutboundContent,
    more?: Partial<OutboundMessage>,
  ): ReturnType<Session["send"]>;
  message(fits?: (message: InboundMessage) => boolean): Promise<InboundMessage>;
  reopen(): Promise<void>;
}

export const never = new AbortController().signal;

/** A channel that is not linked yet; close its session at the end of the test. */
export async function openAccount(
  stand: WhatsappStand,
  sessions: Hosts,
  options: { readonly phone?: string; readonly quickQr?: boolean; readonly hasty?: "late" | "silent" } = {},
): Promise<Account> {
  const phone = options.phone ?? (await stand.addPerson("Shop"));
  const base: Link = createTestLink({ credentials: {}, settings: stand.settings });
  const suffix = options.quickQr === true ? "-qr" : options.hasty === undefined ? "" : `-${options.hasty}`;
  const link = {
    ...base,
    channelId: `${randomUUID()}${suffix}`,
  };
  let from = 0;
  const events = () => link.events.slice(from);
  const account: Account = {
    phone,
    link,
    session: await sessions.open(link),
    events,
    mark() {
      from = link.events.length;
    },
    async wait(kind, fits = () => true) {
      const matches = (event: TransportEvent): boolean => event.kind === kind && fits(event as never);
      await vi
        .waitUntil(() => events().some(matches), { interval: 10 })
        .catch(() => {
          const seen = events().map((event) => JSON.stringify(event).slice(0, 200));
          throw new Error(`no ${kind} came; there was\n${seen.join("\n")}\n${JSON.stringify(link.logs)}`);
        });
      return events().find(matches) as never;
    },
    async state(status, reason) {
      const { state } = await account.wait(
        "link",
        ({ state: each }) =>
          each.status === status && (reason === undefined || ("reason" in each && each.reason === reason)),
      );
      return state;
    },
    send: (chatId, content, more) => {
      const body = typeof content === "string" ? ({ type: "text", text: content } as const) : content;
      const isPerson = /^[0-9]{5,15}$|@lid$|[^0-9]/.test(chatId);
      const to = { chatType: isPerson ? "whatsapp" : "whatsgroup", chatId } as const;
      return account.session.send({ id: randomUUID(), to, content: body, ...more }, never);
    },
    message: async (fits = () => true) =>
      (await account.wait("message", ({ message }) => fits(message))).message,
    async reopen() {
      account.mark();
      account.session = await sessions.open(link);
    },
  };
  return account;
}

/** From here on messages of the account are never stored, until the link gets another handler. Resolves with the first. */
export async function hangAtMessage({ link }: Account): Promise<void> {
  const { promise: hung, resolve: tellHung } = Promise.withResolvers<void>();
  link.onEmit(async ({ kind }) => {
    if (kind !== "message") return;
    tellHung();
    await new Promise(() => undefined);
  });
  await hung;
}

/** Scans the QR code that the channel shows, or the next one if the connection that showed it has ended. */
export async function scan(stand: WhatsappStand, account: Account, phone = account.phone): Promise<void> {
  for (const expired = new Set<string>(); ; ) {
    const { state } = await account.wait("link", ({ state }) => "qr" in state && !expired.has(state.qr));
    const shown = "qr" in state ? state.qr : "";
    try {
      await stand.admin(`POST /people/${phone}/scans`, { qr: readQr(shown) });
      return;
    } catch (error) {
      if (!String(error).includes("expired_qr")) throw error;
      expired.add(shown);
    }
  }
}

/** A channel that is linked and active. */
export async function linkAccount(stand: WhatsappStand, sessions: Hosts): Promise<Account> {
  const account = await openAccount(stand, sessions);
  await scan(stand, account);
  await account.state("active");
  return account;
}

export function profileOf(state: LinkState): ChannelProfile | null {
  return state.status === "active" ? state.profile : null;
}
