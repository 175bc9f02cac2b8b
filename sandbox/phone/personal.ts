import type { Request } from "./admin.ts";
import { type Admin, type Json, list, part, text } from "./admin.ts";
import { messageBody, targetOf } from "./body.ts";
import type { Given, Phone, Seat } from "./phone.ts";
import type { Chat, Device, Person } from "./shape.ts";

/** A route below one person, the same in all emulators of personal accounts. */
export function byPerson(name: string, body: (given: Given, seat: Seat) => object) {
  return (seat: Seat, given: Given): Request => [
    `POST /people/${part(seat.person)}/${name}`,
    body(given, seat),
  ];
}

/** The actions on a personal phone, the same for all these messengers. */
export const personalActs = {
  send: byPerson("messages", (given, { chat }) => ({ ...messageBody(given), to: chat })),
  edit: byPerson("edits", (given, { chat }) => ({ message_id: targetOf(given), text: given.text, chat })),
  delete: byPerson("deletions", (given, { chat }) => ({ message_id: targetOf(given), chat })),
  read: byPerson("reads", (_, { chat }) => ({ chat })),
  typing: byPerson("typing", (_, { chat }) => ({ to: chat })),
  block: byPerson("blocks", (_, { chat }) => ({ phone: chat })),
  unblock: byPerson("unblocks", (_, { chat }) => ({ phone: chat })),
} satisfies Phone["acts"];

/** All other people, and the groups that the person is in; `members` finds the phone numbers of a group. */
export async function personalChats(
  admin: Admin,
  person: string,
  {
    nameOf,
    groups,
  }: { nameOf: (entry: Json) => string; groups: (admin: Admin) => Promise<readonly Group[]> },
): Promise<readonly Chat[]> {
  const people = await admin.list("/people");
  const others = people.filter((each) => text(each["phone"]) !== person);
  return [
    ...(await groups(admin))
      .filter(({ members }) => members.includes(person))
      .map(({ id, title }) => ({ id, title, detail: "", kind: "group" as const })),
    ...others.map((each) => ({
      id: text(each["phone"]),
      title: nameOf(each),
      detail: `+${text(each["phone"])}`,
      kind: "person" as const,
    })),
  ];
}

export interface Group {
  readonly id: string;
  readonly title: string;
  readonly members: readonly string[];
}

export function personOf(
  entry: Json,
  { name, devices }: { readonly name: string; readonly devices: readonly Device[] },
): Person {
  return {
    id: text(entry["phone"]),
    name,
    detail: `+${text(entry["phone"])}`,
    devices,
    hasPassword: entry["has_password"] === true,
  };
}

/** Names by phone number. */
export async function namesOf(
  admin: Admin,
  nameOf: (entry: Json) => string,
): Promise<ReadonlyMap<string, string>> {
  return new Map((await admin.list("/people")).map((each) => [text(each["phone"]), nameOf(each)]));
}

/** The phone numbers in a list of members. */
export function phonesIn(value: unknown): string[] {
  return list(value).map((member) => text(member["phone"]));
}
