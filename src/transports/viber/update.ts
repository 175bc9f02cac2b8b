import { count, fields, integerText, listOf, number, type Read, text } from "../../platform/foreign-json.ts";
import { needed } from "../kit/json.ts";

const person = fields({ id: text, name: text, avatar: text });

const message = fields({
  type: text,
  text,
  media: text,
  file_name: text,
  size: count,
  contact: fields({ name: text, phone_number: text }),
  location: fields({ lat: number, lon: number }),
});

/** The parts of a callback that are read (developers.viber.com, "Callbacks"); its `event` says which are there. */
const update = fields({
  event: text,
  timestamp: number,
  // Larger than 2^53: parse by `parseLossless`.
  message_token: integerText,
  sender: person,
  user: person,
  user_id: text,
  message,
  context: text,
  desc: text,
});

export type ViberPerson = Read<typeof person>;
export type ViberMessage = Read<typeof message>;
export type ViberUpdate = Read<typeof update>;

/** Throws `Unreadable` for what is no callback at all. */
export function readUpdate(raw: unknown): ViberUpdate {
  const read = needed(update(raw), "object");
  needed(read.event, "event");
  return read;
}

/** Whom a callback is about; undefined where it is about nobody, or cannot be read. */
export function personIn(raw: unknown): string | undefined {
  const read = update(raw);
  return read?.sender?.id ?? read?.user?.id ?? read?.user_id;
}

/** `get_account_info`; without `id` it is not known whose token it is. */
export const readAccount = fields({
  id: text,
  name: text,
  uri: text,
  webhook: text,
  event_types: listOf(text),
});

/** The answer to `send_message`. */
export const readSent = fields({ message_token: integerText });
