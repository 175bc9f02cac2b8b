import { fields } from "../../../platform/foreign/foreign-json.ts";
import type { BoundedMap } from "../bounded-map.ts";
import { Refusal, toFailure } from "../errors.ts";
import { OP } from "../wire/opcodes.ts";
import { idIn } from "./ids.ts";
import type { Ask, People } from "./people.ts";
import { readContact } from "./profile.ts";

const readFound = fields({ contact: readContact });

export interface LookUpParts {
  readonly ask: Ask;
  readonly people: People;
  /** Account ids by phone number; null: there is no account. */
  readonly phones: BoundedMap<string, string | null>;
}

/**
 * The user id of a number; null if it has no account. Looks up each number once, because many lookups lead to
 * restrictions. Throws `TransportError`.
 */
export async function userByPhone(parts: LookUpParts, phone: string): Promise<string | null> {
  const known = parts.phones.get(phone);
  const userId = known === undefined ? await lookUp(parts, phone) : known;
  parts.phones.set(phone, userId);
  return userId;
}

async function lookUp({ ask, people }: LookUpParts, phone: string): Promise<string | null> {
  try {
    const contact = readFound(await ask(OP.contactByPhone, { phone }))?.contact;
    if (contact?.id === undefined || idIn(contact.id) === undefined) return null;
    people.learnContact(contact);
    return contact.id;
  } catch (error) {
    if (error instanceof Refusal && error.says("not.found")) return null;
    throw toFailure(error, { isHarmless: true });
  }
}
