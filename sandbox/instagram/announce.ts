import type { Callback, DeliveryRules } from "../callback/queue.ts";
import { isRecord } from "../http/fields.ts";
import { metaJson } from "../meta/json.ts";
import { hubSignatures } from "../meta/signature.ts";
import type { Account, App } from "./account.ts";
import type { Conversation } from "./conversation.ts";
import type { World } from "./world.ts";

/** The first repetition follows at once, then with decreasing frequency, for a day and a half. */
const pauses = [0, 15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600];
const lifetimeSeconds = 36 * 60 * 60;

/** How Meta delivers what happens on Instagram. */
export function deliveryRules(world: World): DeliveryRules {
  return {
    pauseSeconds: (attempts) => pauses[attempts - 1] ?? pauses.at(-1),
    lifetimeSeconds,
    isSuccess: (status) => status === 200,
    pack: (callbacks) => pack(world, callbacks),
  };
}

/** Part of an entry of a callback: something about messages, or a change of another kind. */
export type News =
  | { readonly field: string; readonly messaging: Readonly<Record<string, unknown>> }
  | { readonly field: string; readonly value: Readonly<Record<string, unknown>> };

/** Reports to every app that subscribed. Returns how many addresses are told. */
export function announce(world: World, account: Account, lane: string, news: News): number {
  let told = 0;
  for (const [appId, fields] of account.subscriptions) {
    const app = world.apps.get(appId);
    const isWanted = app?.fields.has(news.field) && (fields?.has(news.field) ?? true);
    if (!isWanted || app?.callbackUrl === undefined) continue;
    const entry = { id: account.id, time: world.clock.nowMs(), ...entryOf(world, news) };
    world.callbacks.add(callbackOf(app, app.callbackUrl, { lane, field: news.field, entries: [entry] }));
    told++;
  }
  return told;
}

/** Comments stand in `changes`, or, as the documents of Instagram Login show them, in the entry itself. */
function entryOf({ settings }: World, news: News): Readonly<Record<string, unknown>> {
  if ("messaging" in news) return { messaging: [news.messaging] };
  const change = { field: news.field, value: news.value };
  return settings.changeForm === "entry" ? change : { changes: [change] };
}

interface Body {
  readonly lane: string;
  readonly field: string;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

function callbackOf(app: App, url: string, { lane, field, entries }: Body): Callback {
  const text = metaJson({ object: "instagram", entry: entries });
  const headers = { "User-Agent": "facebookexternalua", ...hubSignatures(app.secret, text) };
  return { owner: app.id, url, lane, event: field, text, headers };
}

/** What goes to one app makes one body; what is about one account makes one entry of it. */
function pack(world: World, callbacks: readonly Callback[]): Callback[] {
  const groups = Map.groupBy(callbacks, ({ owner, url }) => `${owner} ${url}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const app = first && world.apps.get(first.owner);
    if (!first || !app) return group;
    const entries = group.flatMap(({ text }) => entriesOf(JSON.parse(text)));
    const field = [...new Set(group.map(({ event }) => event))].join(",");
    const packed = callbackOf(app, first.url, { lane: first.lane, field, entries: merge(entries) });
    return { ...packed, lanes: group.map(({ lane }) => lane) };
  });
}

type Entry = Readonly<Record<string, unknown>>;

function entriesOf(body: unknown): Entry[] {
  const entries = isRecord(body) ? body["entry"] : undefined;
  return Array.isArray(entries) ? entries.filter(isRecord) : [];
}

/** Entries of one account and one form become one. */
function merge(entries: readonly Entry[]): Entry[] {
  const listOf = (entry: Entry) => ["messaging", "changes"].find((name) => Array.isArray(entry[name])) ?? "";
  const groups = Map.groupBy(entries, (entry) => `${entry["id"]} ${listOf(entry) || JSON.stringify(entry)}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const list = first && listOf(first);
    if (!first || !list) return group;
    return [{ ...first, [list]: group.flatMap((entry) => entry[list]) }];
  });
}

/** What every message event has around its own part. */
export function envelope(
  world: World,
  account: Account,
  conversation: Conversation,
  from: "person" | "account",
): { sender: { id: string }; recipient: { id: string }; timestamp: number } {
  const [person, business] = [{ id: conversation.igsid }, { id: account.id }];
  return {
    sender: from === "person" ? person : business,
    recipient: from === "person" ? business : person,
    timestamp: world.clock.nowMs(),
  };
}
