import { afterAll, afterEach, beforeAll, onTestFinished, vi } from "vitest";
import { type Max, startMax } from "../../../sandbox/max/server.ts";
import { readQr } from "../../../sandbox/qr-reader.ts";
import type { SettingsOf } from "../../core/transport/definition.ts";
import type { InboundMessage, LinkState, TransportEvent } from "../../core/transport/events.ts";
import type { MaxDefinition } from "./definition.ts";
import { openSession } from "./session.ts";
import { FAST, linkTo } from "./testing.ts";
import type { Timing } from "./timing.ts";

/** The linked account, and people who write to it. */
export const [SHOP, ANN, EVE] = ["79990000001", "79990000002", "79990000003"] as const;
let max: Max;
let url = "";

/** An emulated MAX for the tests of one file, empty before each test. */
export function useMax(): void {
  beforeAll(async () => {
    max = await startMax();
    url = max.url.replace("ws:", "http:").replace("/websocket", "");
  });
  afterAll(() => max.close());
  afterEach(() => admin("DELETE", "/"));
}

export type Json = Record<string, unknown>;
export type Link = ReturnType<typeof linkTo>;

export async function admin<T = Json>(method: string, path: string, body?: object): Promise<T> {
  const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch(max.admin + path, { ...init, headers: { "content-type": "application/json" } });
  const json: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
  return json as T;
}
export const person =
  (phone: string) =>
  (action: string, body: object = {}) =>
    admin("POST", `/people/${phone}/${action}`, body);
export const ann = person(ANN);
export const shop = person(SHOP);
export const annWrites = (message: object) => ann("messages", { to: SHOP, ...message });

export async function addPeople(more: object = {}): Promise<void> {
  await admin("POST", "/settings", { qr_polling_ms: 10, processing_ms: 5, novelty: 3 });
  await admin("POST", "/people", { phone: SHOP, name: "Shop", ...more });
  await admin("POST", "/people", { phone: ANN, name: "Ann" });
  await admin("POST", "/people", { phone: EVE, name: "Eve" });
}

export async function open(link: Link, timing: Timing = FAST) {
  const session = await openSession(link, timing);
  onTestFinished(() => session.close());
  return session;
}

export function newLink(settings: Partial<SettingsOf<MaxDefinition>> = {}): Link {
  const link = linkTo(url, settings);
  onTestFinished(() => {
    link.abort();
    return link.dispose();
  });
  return link;
}

/** The next matching state of the link after the last one that was awaited. */
export function states(link: Link) {
  let from = 0;
  return async (fits: Partial<LinkState>): Promise<LinkState> => {
    const found = (): number =>
      link.events.findIndex((event, index) => index >= from && isState(event, fits));
    await vi.waitUntil(() => found() >= 0, { timeout: 20_000, interval: 5 });
    const index = found();
    from = index + 1;
    const event = link.events[index];
    if (event?.kind !== "link") throw new Error("no state");
    return event.state;
  };
}

export function isState(event: TransportEvent, fits: object): boolean {
  return (
    event.kind === "link" &&
    Object.entries(fits).every(([key, value]) => (event.state as unknown as Json)[key] === value)
  );
}

export async function scan(phone: string, state: LinkState): Promise<void> {
  if (!("qr" in state)) throw new Error("no code is shown");
  await person(phone)("scans", { qr: readQr(state.qr) });
}

/** Scans the code that is shown, and the next one if the connection that showed it ends before the channel is active. */
async function scanUntilLinked(link: Link): Promise<void> {
  let scanned: TransportEvent | undefined;
  await vi.waitUntil(async () => {
    const shown = link.events.findLast((event) => isState(event, { reason: "qr" }));
    if (shown?.kind === "link" && shown !== scanned) {
      scanned = shown;
      await scan(SHOP, shown.state).catch((error: unknown) => {
        if (!String(error).includes("expired_qr")) throw error;
      });
    }
    return link.events.some((event) => isState(event, { status: "active" }));
  });
}

export async function openWorld(settings: Partial<SettingsOf<MaxDefinition>> = {}, timing?: Timing) {
  await addPeople();
  return linkShop(settings, timing);
}

export async function linkShop(settings: Partial<SettingsOf<MaxDefinition>> = {}, timing?: Timing) {
  const link = newLink(settings);
  const state = states(link);
  const session = await open(link, timing);
  await scanUntilLinked(link);
  await state({ status: "active" });
  const { user_id } = await admin<{ user_id: number }>("GET", `/people/${SHOP}`);
  const other = await admin<{ user_id: number }>("GET", `/people/${ANN}`);
  const dialog = String(BigInt(user_id) ^ BigInt(other.user_id));
  return { link, state, session, dialog };
}

export function messagesIn(events: readonly TransportEvent[]): readonly InboundMessage[] {
  return events.flatMap((event) => (event.kind === "message" ? [event.message] : []));
}
export const inboundMessage = async (
  link: Link,
  fits: (message: InboundMessage) => boolean,
): Promise<InboundMessage> => {
  const event = await link.waitFor((each) => each.kind === "message" && fits(each.message));
  if (event.kind !== "message") throw new Error("no message");
  return event.message;
};
