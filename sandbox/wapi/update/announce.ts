import { signedCallback } from "../../meta/callbacks.ts";
import { Novelty } from "../../trouble/novelty.ts";
import type { App, Waba } from "../account/account.ts";
import type { PhoneNumber } from "../account/phone-number.ts";
import { type Person, userIdOf } from "../chat/person.ts";
import type { World } from "../world.ts";
import { type Change, envelope } from "./envelope.ts";

/** What a change is about. */
export interface Place {
  readonly waba: Waba;
  /** The number; its own address takes precedence over the account's. */
  readonly number?: PhoneNumber;
  /** Changes of one ordering key are reported in order, for example those of a conversation. */
  readonly orderingKey: string;
}

/** Reports to every app subscribed to the account; returns the number of addresses. */
export function announce(world: World, place: Place, change: Change): number {
  let told = 0;
  for (const appId of place.waba.subscriptions.keys()) {
    const app = world.apps.get(appId);
    if (app && tell(world, app, place, change)) told++;
  }
  return told;
}

/** Reports to one app, at its address for the field. */
export function tell(world: World, app: App, place: Place, change: Change, entryId = place.waba.id): boolean {
  const url = addressOf(world, app, place, change.field);
  if (url === undefined || !app.fields.has(change.field)) return false;
  const time = change.field === "messages" ? undefined : world.clock.now();
  const novelty = new Novelty(world.settings.novelty, world.reports++);
  const changes = novelty.happens() ? [change, newChange(novelty, change)] : [change];
  const body = novelty.sprinkled(envelope(changes.map((each) => ({ entryId, time, change: each }))));
  world.callbacks.add(
    signedCallback(app, url, { orderingKey: place.orderingKey, field: change.field, body }),
  );
  return true;
}

/** A change of a kind that did not exist before, of the same number. */
function newChange(novelty: Novelty, { value: { metadata } }: Change): Change {
  return { field: `new_field_${novelty.number()}`, value: { metadata, news: [{ id: "1" }] } };
}

/** The number's address, else the account's, else the app's; the first two apply to messages only. */
function addressOf(world: World, app: App, { waba, number }: Place, field: string): string | undefined {
  const overridden = field === "messages" || world.settings.overrideScope === "all";
  const own = number?.overrides.get(app.id) ?? waba.subscriptions.get(app.id)?.overrideUrl;
  return (overridden ? own : undefined) ?? app.callbackUrl;
}

/** The number of a `messages` change. */
export function metadataOf(number: PhoneNumber): Readonly<Record<string, string>> {
  return { display_phone_number: number.phone, phone_number_id: number.id };
}

/** A person as businesses see them: without the number if it is hidden. */
export function contactOf(
  world: World,
  number: PhoneNumber,
  person: Person,
): Readonly<Record<string, unknown>> {
  const { name, username, phone, hidesNumber } = person;
  return {
    profile: { name, ...(username !== undefined && { username: `@${username}` }) },
    ...(!hidesNumber && { wa_id: phone }),
    ...(world.settings.userIds && { user_id: userIdOf(person, number.waba.businessId) }),
  };
}

/** The ordering key of a number and a person. */
export function orderingKeyOf(number: PhoneNumber, person: Person | undefined): string {
  return `${number.id} ${person?.id ?? ""}`;
}
