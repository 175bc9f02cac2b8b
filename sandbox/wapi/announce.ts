import { signedCallback } from "../meta/callbacks.ts";
import type { App, Waba } from "./account.ts";
import { type Change, envelope } from "./envelope.ts";
import { type Person, userIdOf } from "./person.ts";
import type { PhoneNumber } from "./phone-number.ts";
import type { World } from "./world.ts";

/** Where a change belongs. */
export interface Place {
  readonly waba: Waba;
  /** The number it is about; its own address comes before the account's. */
  readonly number?: PhoneNumber;
  /** What must be told in order, e.g. a conversation. */
  readonly lane: string;
}

/** Tells every app that is subscribed to the account; returns how many addresses that is. */
export function announce(world: World, place: Place, change: Change): number {
  let told = 0;
  for (const appId of place.waba.subscriptions.keys()) {
    const app = world.apps.get(appId);
    if (app && tell(world, app, place, change)) told++;
  }
  return told;
}

/** Tells one app, where it listens for the field. */
export function tell(world: World, app: App, place: Place, change: Change, entryId = place.waba.id): boolean {
  const url = addressOf(world, app, place, change.field);
  if (url === undefined || !app.fields.has(change.field)) return false;
  const time = change.field === "messages" ? undefined : world.clock.now();
  const body = envelope([{ entryId, time, change }]);
  world.callbacks.add(signedCallback(app, url, { lane: place.lane, field: change.field, body }));
  return true;
}

/** The number's address, else the account's, else the app's: the first two take over messages only. */
function addressOf(world: World, app: App, { waba, number }: Place, field: string): string | undefined {
  const overridden = field === "messages" || world.settings.overrideScope === "all";
  const own = number?.overrides.get(app.id) ?? waba.subscriptions.get(app.id)?.overrideUrl;
  return (overridden ? own : undefined) ?? app.callbackUrl;
}

/** The number that a change of `messages` came over. */
export function metadataOf(number: PhoneNumber): Readonly<Record<string, string>> {
  return { display_phone_number: number.phone, phone_number_id: number.id };
}

/** A person as businesses see them: without the number where it is hidden. */
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

/** What must stay in order between a number and a person. */
export function laneOf(number: PhoneNumber, person: Person | undefined): string {
  return `${number.id} ${person?.id ?? ""}`;
}
