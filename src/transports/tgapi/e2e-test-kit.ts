import { afterAll, afterEach, beforeAll } from "vitest";
import { readQr } from "../../../sandbox/qr-reader.ts";
import { startTgapi, type Tgapi } from "../../../sandbox/tgapi/server.ts";
import type { OpenedFile, OutboundMessage, Session } from "../../core/transport/connector.ts";
import type { LinkState, TransportEvent } from "../../core/transport/events.ts";
import type { ProxyRoute } from "../../platform/network/proxy/proxy.ts";
import { openSession } from "./session.ts";
import { FAST, linkTo } from "./testing.ts";
import type { Timing } from "./timing.ts";

/** The account that is linked. */
export const SHOP = "79990000001";
/** Who writes to it. */
export const BOB = "79990000002";

export type Link = ReturnType<typeof linkTo>;
type Opened = Awaited<ReturnType<typeof openSession>>;

/** An emulated Telegram for the tests of one file, empty before each test. */
export function useTgapi() {
  let tgapi: Tgapi;
  const ends: (() => Promise<unknown>)[] = [];
  const admin = <T = unknown>(method: string, path: string, body: object = {}): Promise<T> =>
    request<T>(method, tgapi.admin + path, body);
  const makeLink = (proxy: ProxyRoute | null = null): Link => {
    const [first] = tgapi.dataCentres;
    const link = linkTo(`tcp://${first?.host}:${first?.port}/?dc=${first?.id}`, tgapi.keyFile);
    return Object.assign(link, { proxy });
  };
  const open = async (link: Link, timing = FAST): Promise<Opened> => {
    const session = await openSession(link, timing);
    ends.push(() => session.close());
    return session;
  };
  beforeAll(async () => {
    tgapi = await startTgapi();
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    await admin("DELETE", "/");
  });
  afterAll(() => tgapi.close());
  const dataCentres = () => tgapi.dataCentres;
  return { admin, dataCentres, makeLink, open, ...actsOf({ admin, makeLink, open }) };
}

interface Stand {
  admin<T = unknown>(method: string, path: string, body?: object): Promise<T>;
  makeLink(): Link;
  open(link: Link, timing?: Timing): Promise<Opened>;
}

function actsOf({ admin, makeLink, open }: Stand) {
  const people = async (more: object = {}): Promise<string> => {
    await admin("POST", "/people", { phone: SHOP, first_name: "Shop", username: "the_shop", ...more });
    const given = { phone: BOB, first_name: "Bob", username: "bob_b" };
    return String((await admin<{ id: number }>("POST", "/people", given)).id);
  };
  const scan = async (link: Link, phone = SHOP): Promise<void> => {
    const shown = await state(link, "init/qr");
    if (!("qr" in shown)) throw new Error("no code");
    await admin("POST", `/people/${phone}/scans`, { qr: readQr(shown.qr) });
  };
  /** Links the account. `bob` is the chat with him. */
  const connect = async (timing = FAST): Promise<{ link: Link; session: Opened; bob: string }> => {
    const bob = await people();
    const link = makeLink();
    const session = await open(link, timing);
    await scan(link);
    await state(link, "active");
    return { link, session, bob };
  };
  const write = (content: object): Promise<{ message_id: number; their_message_id: number }> =>
    admin("POST", `/people/${BOB}/messages`, { to: SHOP, ...content });
  /** What Bob's phone shows of the chat. */
  const seen = async (): Promise<string[]> => {
    const path = `/people/${BOB}/chats/${SHOP}/messages`;
    const { items } = await admin<{ items: { text: string }[] }>("GET", path);
    return items.map((each) => each.text);
  };
  return { people, scan, connect, write, seen };
}

async function request<T>(method: string, url: string, body: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const init = method === "POST" ? { body: JSON.stringify(body) } : {};
  const answer = await fetch(url, { method, headers, ...init });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** The first matching event, past or future; consumes it and all earlier ones. */
export async function next<T>(link: Link, read: (event: TransportEvent) => T | undefined): Promise<T> {
  const event = await link.waitFor((each) => read(each) !== undefined);
  link.events.splice(0, link.events.indexOf(event) + 1);
  return read(event) as T;
}

/** `wanted`: a status, alone or with its reason, e.g. `init/qr`. */
export const state = (link: Link, wanted: string): Promise<LinkState> =>
  next(link, (event) => {
    if (event.kind !== "link") return undefined;
    const { status, ...more } = event.state;
    const reason = "reason" in more ? more.reason : undefined;
    return [status, `${status}/${reason}`].includes(wanted) ? event.state : undefined;
  });

/** The text of each message that came. */
export const textsOf = ({ events }: Pick<Link, "events">): string[] =>
  events.flatMap((event) =>
    event.kind === "message" && event.message.body.type === "text" ? [event.message.body.text] : [],
  );

export const numbered = (word: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}`);

export const signal = (): AbortSignal => AbortSignal.timeout(30_000);

export async function bytesOf({ stream }: OpenedFile): Promise<number> {
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) size += chunk.length;
  return size;
}

/** Retries with the same id after an unknown or failed outcome, as core does. */
export async function sendUntilSent(session: Session, message: OutboundMessage): Promise<void> {
  for (;;) {
    const error = await session.send(message, signal()).then(
      () => null,
      (failure: { retry?: unknown }) => failure,
    );
    if (error === null) return;
    if (error.retry !== "later" && error.retry !== "unknown") throw error;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
