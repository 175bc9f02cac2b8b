import type { ChannelProfile } from "../../../core/transport/events.ts";
import {
  fields,
  integerText,
  listOf,
  number,
  type Read,
  type Reader,
  text,
} from "../../../platform/foreign/foreign-json.ts";
import { isJson, type Json } from "../../kit/json.ts";

/** A person, as in logins, lookups and contact lists. Phone numbers are JSON numbers. */
export const readContact = fields({
  id: integerText,
  phone: integerText,
  names: listOf(fields({ name: text, firstName: text, lastName: text })),
  baseUrl: text,
});
export type MaxContact = Read<typeof readContact>;

const record: Reader<Json> = (value) => (isJson(value) ? value : undefined);

/** A chat. `participants` maps the ids of people to the time up to which they have read. */
export const readChat = fields({
  id: integerText,
  type: text,
  title: text,
  baseIconUrl: text,
  status: text,
  owner: integerText,
  admins: listOf(integerText),
  participants: record,
  participantsCount: number,
  lastEventTime: number,
  modified: number,
  lastMessage: fields({ id: integerText, time: number }),
});
export type MaxChat = Read<typeof readChat>;

/** The response to a login; `time` is MAX's clock. */
export const readLogin = fields({
  profile: fields({ contact: readContact, id: integerText, phone: integerText }),
  chats: listOf(readChat),
  contacts: listOf(readContact),
  time: number,
  token: text,
});

/** "" if the contact has no name. */
export function nameOf({ names = [] }: MaxContact): string {
  const [first = {}] = names;
  const full = [first.firstName, first.lastName].filter(Boolean).join(" ");
  return first.name ?? full;
}

export function toProfile(contact: MaxContact & { readonly id: string }): ChannelProfile {
  const { id, phone } = contact;
  const name = nameOf(contact) || phone || id;
  return { messengerId: id, name, ...(phone === undefined ? {} : { phone }) };
}
