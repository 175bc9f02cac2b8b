import { signedCallback } from "../../meta/callbacks.ts";
import { Novelty } from "../../trouble/novelty.ts";
import type { Account } from "../account/account.ts";
import type { Conversation } from "../account/conversation.ts";
import type { World } from "../world.ts";
import { bodyOf } from "./delivery-rules.ts";

/** Part of an entry of a callback: a messaging event, or a change of another kind. */
export type News =
  | { readonly field: string; readonly messaging: Readonly<Record<string, unknown>> }
  | { readonly field: string; readonly value: Readonly<Record<string, unknown>> };

/** Reports to every subscribed app. Returns the number of addresses. */
export function announce(world: World, account: Account, orderingKey: string, news: News): number {
  let told = 0;
  for (const [appId, fields] of account.subscriptions) {
    const app = world.apps.get(appId);
    const isWanted = app?.fields.has(news.field) && (fields?.has(news.field) ?? true);
    if (!isWanted || app?.callbackUrl === undefined) continue;
    const novelty = new Novelty(world.settings.novelty, world.reports++);
    const entry = { id: account.id, time: world.clock.nowMs(), ...entryOf(world, news, novelty) };
    const body = novelty.sprinkled(bodyOf([entry]));
    world.callbacks.add(signedCallback(app, app.callbackUrl, { orderingKey, field: news.field, body }));
    told++;
  }
  return told;
}

/** Comments are in `changes`, or, according to the documentation of Instagram Login, in the entry itself. */
function entryOf({ settings }: World, news: News, novelty: Novelty): Readonly<Record<string, unknown>> {
  if ("messaging" in news) {
    const { sender, recipient, timestamp } = news.messaging;
    const more = novelty.happens()
      ? [{ sender, recipient, timestamp, [`new_event_${novelty.number()}`]: { id: "1" } }]
      : [];
    return { messaging: [news.messaging, ...more] };
  }
  const change = { field: news.field, value: news.value };
  return settings.changeForm === "entry" ? change : { changes: [change] };
}

/** The common fields of messaging events. */
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
