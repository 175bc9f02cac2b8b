import type { DeliveryRules } from "../callback/queue.ts";
import { packByAddress, signedCallback } from "../meta/callbacks.ts";
import type { Account } from "./account.ts";
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
    pack: (callbacks) => packByAddress(world.apps, callbacks, (entries) => bodyOf(merge(entries))),
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
    world.callbacks.add(
      signedCallback(app, app.callbackUrl, { lane, field: news.field, body: bodyOf([entry]) }),
    );
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

function bodyOf(entry: readonly Entry[]): Readonly<Record<string, unknown>> {
  return { object: "instagram", entry };
}

type Entry = Readonly<Record<string, unknown>>;

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
