import type { GroupPersonName, PersonOutcome, PersonResult } from "../../../core/transport/groups.ts";
import { fields, listOf } from "../../../platform/foreign/foreign-json.ts";
import type { Line } from "../outbound/sender.ts";
import { dialogId, idIn } from "../people/ids.ts";
import { userByPhone } from "../people/look-up.ts";
import { readContact } from "../people/profile.ts";
import { OP } from "../wire/opcodes.ts";

/** A person of a request; without `userId`, MAX has no such account. */
export interface Asked {
  readonly person: GroupPersonName;
  readonly userId?: string;
}

/** Finds people one after the other, because many lookups lead to restrictions. Throws `TransportError`. */
export async function findPeople(line: Line, people: readonly GroupPersonName[]): Promise<Asked[]> {
  const found: Asked[] = [];
  for (const person of people) {
    const userId = await userOf(line, person);
    found.push(userId === null ? { person } : { person, userId });
  }
  return found;
}

async function userOf(line: Line, person: GroupPersonName): Promise<string | null> {
  if ("phone" in person) return userByPhone(line, person.phone);
  const { self } = line.people;
  if (!("id" in person) || idIn(person.id) === undefined) return null;
  return person.id === self ? self : dialogId(self, person.id);
}

/** A member's id, as `sender.id` of messages: that of the dialog with them, or the account's own. */
export function memberId(self: string, userId: string): string {
  return userId === self ? self : dialogId(self, userId);
}

export function outcome({ people: { self } }: Line, asked: Asked, result: PersonResult): PersonOutcome {
  const { person, userId } = asked;
  return { person, ...(userId !== undefined && { id: memberId(self, userId) }), result };
}

export function idsOf(asked: readonly Asked[]): string[] {
  return asked.flatMap(({ userId }) => userId ?? []);
}

/** The numbers of people in requests. */
export function toNumbers(userIds: readonly string[]): bigint[] {
  return userIds.flatMap((id) => idIn(id) ?? []);
}

const readContacts = fields({ contacts: listOf(readContact) });

/**
 * Of people whom MAX did not add, those that exist: MAX leaves people out without an error, whether they do not exist or
 * do not allow it. If it does not tell, all of them.
 */
export async function existingOf(line: Line, userIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  try {
    const request = { contactIds: toNumbers(userIds) };
    const { contacts = [] } = readContacts(await line.ask(OP.contactsById, request)) ?? {};
    for (const contact of contacts) line.people.learnContact(contact);
    return new Set(contacts.flatMap(({ id }) => id ?? []));
  } catch {
    return new Set(userIds);
  }
}
