import {
  count,
  fields,
  integerText,
  listOf,
  number,
  type Read,
  type Reader,
  text,
} from "../../platform/foreign/foreign-json.ts";
import { required } from "../kit/json.ts";

const person = fields({ id: text, name: text, avatar: text });

const messageFields = fields({
  type: text,
  text,
  media: text,
  file_name: text,
  size: count,
  contact: fields({ name: text, phone_number: text, avatar: text }),
  location: fields({ lat: number, lon: number, address: text }),
  tracking_data: text,
  alt_text: text,
  rich_media: fields({
    Buttons: listOf(fields({ Text: text, Image: text, ActionType: text, ActionBody: text })),
  }),
});

export interface ViberMessage extends Read<typeof messageFields> {
  /** As it arrived, for types that are not known. */
  readonly raw: unknown;
}

const message: Reader<ViberMessage> = (raw) => {
  const read = messageFields(raw);
  return read && { ...read, raw };
};

/**
 * The fields of a callback that the connector uses (developers.viber.com, "Callbacks"); `event` determines which are
 * present.
 */
const update = fields({
  event: text,
  timestamp: number,
  // May exceed 2^53: parse with `parseBounded`.
  message_token: integerText,
  sender: person,
  user: person,
  user_id: text,
  message,
  context: text,
  desc: text,
});

export type ViberPerson = Read<typeof person>;
export type ViberUpdate = Read<typeof update>;

/** Throws `Unreadable` if the value is not a callback. */
export function readUpdate(raw: unknown): ViberUpdate {
  const read = required(update(raw), "object");
  required(read.event, "event");
  return read;
}

/** The person that a callback concerns; undefined if there is none or it cannot be parsed. */
export function personIn(raw: unknown): string | undefined {
  const read = update(raw);
  return read?.sender?.id ?? read?.user?.id ?? read?.user_id;
}

/** The response to `get_account_info`; without `id`, the owner of the token is unknown. */
export const readAccount = fields({
  id: text,
  name: text,
  uri: text,
  webhook: text,
  event_types: listOf(text),
});

/** The response to `send_message`. */
export const readSent = fields({ message_token: integerText });
