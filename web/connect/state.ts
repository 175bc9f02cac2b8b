import { signal } from "@preact/signals";
import { NoConnection, pause, Refusal } from "../kit/api/client.ts";
import type { Operations } from "../kit/api/generated.ts";
import { call, type PageOperation } from "../kit/api/page-client.ts";
import { isFramed, onTicket, tellParent } from "../kit/embed.ts";
import { crowded } from "../kit/offline.tsx";

export type Transport = Operations["listTransports"]["output"][number];
export type Channel = Operations["watchChannel"]["output"];
type Opening = Operations["openPageSession"]["output"];

/** Who has requested a link that no longer works. */
export type LinkOrigin = Operations["readLinkOrigin"]["output"];
/** Why the page cannot continue; after `offline` it may retry. */
export type Trouble = "used" | "over" | "offline";

export const trouble = signal<Trouble | null>(null);
/** Of the page's link, once it no longer works. */
export const linkOrigin = signal<LinkOrigin | null>(null);
export const opening = signal<Opening | null>(null);
export const transports = signal<readonly Transport[] | null>(null);
/** Chosen by the person, or by the creator of the link. */
export const chosen = signal<Transport | null>(null);
export const channel = signal<Channel | null>(null);
/** Whether the person reconnects the channel, and sees the form instead of its status. */
export const renewing = signal(false);

const query = new URLSearchParams(location.search);
let watching = new AbortController();
/** The stored session; a phone's browser may discard the page while its person is in the messenger. */
interface Kept {
  readonly opening: Opening;
  readonly channelId: string | null;
}
const KEY = "trunkline-connect";

/** Opens the session and determines what to connect. May be repeated after `offline`. */
export async function start(): Promise<void> {
  trouble.value = null;
  try {
    const kept = opening.value === null ? recall() : null;
    opening.value ??= kept?.opening ?? (await open(query.get("ticket") ?? ""));
    transports.value = await ask("listTransports", {});
    const wanted = opening.value.channel_id ?? kept?.channelId ?? null;
    keep(wanted);
    if (wanted !== null) await watch(wanted);
    else choose(opening.value.transport);
  } catch (error) {
    takeTrouble(error);
  }
}

async function open(ticket: string): Promise<Opening> {
  const transport = query.get("transport");
  return call("openPageSession", { body: transport === null ? { ticket } : { ticket, transport } });
}

/** A new ticket of the embedding page continues where the old session ended. */
export function renewByParent(): () => void {
  return onTicket((ticket) => {
    void call("openPageSession", { body: { ticket } })
      .then((renewed) => {
        opening.value = renewed;
        return start();
      })
      .catch(takeTrouble);
  });
}

/** A request of the session. */
export async function ask<Id extends PageOperation>(
  id: Id,
  input: Operations[Id]["input"],
  abort?: AbortSignal,
): Promise<Operations[Id]["output"]> {
  const options = { token: opening.value?.token, ...(abort === undefined ? {} : { signal: abort }) };
  return call(id, input, options);
}

function choose(transport: string | null): void {
  chosen.value = transports.value?.find((each) => each.transport === transport) ?? null;
}

/** Returns a function that returns whether the person is still at the present step. */
export function staying(): () => boolean {
  const here = visit;
  return () => visit === here;
}
let visit = 0;

/** Shows a channel and follows its changes. */
export async function watch(id: string): Promise<void> {
  const stays = staying();
  const now = await ask("watchChannel", { path: { id } });
  if (!stays()) return;
  show(now);
  follow(id);
}

/** Shows the channel in a response. */
export function show(next: Channel): void {
  const before = channel.value;
  channel.value = next;
  if (next.status !== "active") renewed.add(next.channel_id);
  // Progress of an import does not close a form.
  if (before === null || JSON.stringify(standingOf(before)) !== JSON.stringify(standingOf(next)))
    renewing.value = false;
  choose(next.transport);
  keep(next.channel_id);
  // A channel that worked before the page was opened was not connected here.
  const was = before?.status ?? (opening.value?.channel_id === next.channel_id ? next.status : null);
  if (next.status === "active" && was !== "active")
    tellParent("channel.connected", { channelId: next.channel_id, transport: next.transport });
}

/** Channels that were restarted on this page, or that it has seen without a link. */
export const renewed = new Set<string>();

/** A channel that worked before the page was opened need not be connected. */
export function isConnectedHere({ channel_id: id }: Channel): boolean {
  return opening.value?.channel_id !== id || renewed.has(id);
}

function standingOf({ history: _, version: _version, ...standing }: Channel): object {
  return standing;
}

/** Follows a channel, possibly one that does not exist yet, until the page leaves it. */
export function follow(id: string): void {
  leave();
  watching = new AbortController();
  void followUntil(id, watching.signal);
}

/** Stops following. */
function leave(): void {
  watching.abort();
}

/** Returns to the choice of messengers. */
export function startOver(): void {
  visit++;
  leave();
  channel.value = null;
  renewing.value = false;
  chosen.value = null;
  keep(null);
}

async function followUntil(id: string, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const before = channel.value;
    const known = before?.version ?? "";
    try {
      const next = await ask("watchChannel", { path: { id }, query: { known } }, stop);
      if (stop.aborted) return;
      crowded.value = false;
      // The shown state may be newer, from a response to the person's action: it is requested again.
      if (channel.value === before && next.version !== known) show(next);
    } catch (error) {
      if (stop.aborted) return;
      if (error instanceof Refusal && error.code === "INVALID_APIKEY") return takeTrouble(error);
      const isCrowded = error instanceof Refusal && error.code === "TOO_MANY_REQUESTS";
      crowded.value = isCrowded;
      await pause(isCrowded ? 5_000 : error instanceof Refusal ? 1_500 : 3_000, stop);
      // Without waiting for a change: such requests are always answered.
      if (isCrowded) await glance(id, stop);
    }
  }
}

/** Shows the present state of the channel. */
async function glance(id: string, stop: AbortSignal): Promise<void> {
  const before = channel.value;
  const next = await ask("watchChannel", { path: { id } }, stop).catch(() => null);
  if (next !== null && !stop.aborted && channel.value === before && next.version !== before?.version)
    show(next);
}

/** The service's errors for an invalid link. */
const DEAD_LINK: ReadonlySet<string> = new Set(["NOT_FOUND", "VALIDATION_ERROR", "CHANNEL_NOT_FOUND"]);

function takeTrouble(error: unknown): void {
  leave();
  if (error instanceof NoConnection) trouble.value = "offline";
  else if (error instanceof Refusal && error.code === "INVALID_APIKEY") {
    forget();
    void findOrigin();
    trouble.value = "over";
    tellParent("session.ended");
  } else if (error instanceof Refusal && DEAD_LINK.has(error.code)) {
    void findOrigin();
    trouble.value = "used";
    tellParent("session.ended");
  } else trouble.value = "offline";
}

/** In a frame, the page around renews the session. Without an origin, the page gives general advice. */
async function findOrigin(): Promise<void> {
  const ticket = query.get("ticket");
  if (isFramed || ticket === null || query.has("transport")) return;
  linkOrigin.value = await call("readLinkOrigin", { body: { ticket } }).catch(() => null);
}

/** In a frame the session is kept in memory only; a page of its own survives a reload. */
function keep(channelId: string | null): void {
  if (isFramed || opening.value === null) return;
  const kept: Kept & { readonly address: string } = {
    opening: opening.value,
    channelId,
    address: location.search,
  };
  sessionStorage.setItem(KEY, JSON.stringify(kept));
}

function recall(): Kept | null {
  if (isFramed) return null;
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as (Kept & { address: string }) | null;
  return kept?.address === location.search ? kept : null;
}

function forget(): void {
  opening.value = null;
  if (!isFramed) sessionStorage.removeItem(KEY);
}
