import type { ChannelProfile } from "../../../core/transport/events.ts";
import { readKnown } from "../inbound/update.ts";
import { toPlain } from "../library/plain.ts";
import { nameOf, phoneOf, usernameOf } from "./names.ts";

/** The profile of the account (TL type `User`). Pure. */
export function profileOf(user: unknown, id: string): ChannelProfile {
  const who = readKnown(toPlain(user));
  const username = usernameOf(who);
  const phone = phoneOf(who);
  return {
    messengerId: id,
    name: nameOf(who) || phone || id,
    ...(username !== undefined && { username }),
    ...(phone !== undefined && { phone }),
  };
}
