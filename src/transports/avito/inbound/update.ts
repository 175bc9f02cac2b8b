import {
  anyText,
  fields,
  flag,
  integerText,
  listOf,
  number,
  type Read,
  type Reader,
  text,
} from "../../../platform/foreign/foreign-json.ts";
import { isJson, type Json, required } from "../../kit/json.ts";

/** The URLs of a picture by size, such as `1280x960`. */
const sizes: Reader<Readonly<Record<string, string>>> = (value) => {
  if (!isJson(value)) return undefined;
  const found = Object.entries(value).filter((entry): entry is [string, string] =>
    URL.canParse(String(entry[1])),
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
};

const contentShape = {
  text: anyText,
  /** Names the bot of Avito's that wrote the message. */
  flow_id: anyText,
  image: fields({ sizes }),
  link: fields({ text, url: text }),
  item: fields({ title: text, item_url: text, price_string: anyText }),
  location: fields({ lat: number, lon: number, title: text, text }),
  voice: fields({ voice_id: anyText }),
  call: fields({ status: text }),
};
const knownContent = fields(contentShape);

/**
 * "MessageContent" in Avito's API description; the message's type determines which field is present. `more`: the fields
 * that it does not describe.
 */
const content: Reader<Read<typeof knownContent> & { readonly more?: Json }> = (value) => {
  const known = knownContent(value);
  if (known === undefined) return undefined;
  const others = Object.entries(value as Json).filter(
    ([key, each]) => !Object.hasOwn(contentShape, key) && each !== null,
  );
  return others.length === 0 ? known : { ...known, more: Object.fromEntries(others) };
};

const quote = fields({ id: anyText, type: text, content });

/** A message from a chat or from a webhook; the latter also names its chat. */
const message = fields({
  id: anyText,
  chat_id: anyText,
  chat_type: text,
  item_id: integerText,
  user_id: integerText,
  author_id: integerText,
  direction: text,
  created: number,
  published_at: text,
  type: text,
  content,
  is_read: flag,
  read: number,
  quote,
});

const call = fields({ payload: fields({ type: text, value: message }) });

const chat = fields({
  id: text,
  updated: number,
  context: fields({
    type: text,
    value: fields({ id: integerText, title: text, url: text, price_string: anyText }),
  }),
  last_message: fields({ id: text, type: text, direction: text }),
  users: listOf(
    fields({
      id: integerText,
      name: text,
      public_user_profile: fields({ url: text, avatar: fields({ default: text, images: sizes }) }),
    }),
  ),
});

export type AvitoContent = Read<typeof content>;
export type AvitoQuote = Read<typeof quote>;
export type AvitoMessage = Read<typeof message>;
export type AvitoChat = Read<typeof chat>;

/**
 * Parses a webhook call (v3). Throws `Unreadable` if it is not one. `message` is null for events of other types.
 */
export function readCall(raw: unknown): { readonly type: string; readonly message: AvitoMessage | null } {
  const { type = "message", value } = required(call(raw)?.payload, "payload");
  return { type, message: type === "message" ? required(value, "payload.value") : null };
}

export const readChat: Reader<AvitoChat> = chat;
export const readChats = fields({ chats: listOf(chat) });
/** The response of `GET v3 …/messages/` is an object or, as in the API description, a bare list. */
export function readMessages(raw: unknown): readonly AvitoMessage[] {
  const list = Array.isArray(raw) ? raw : isJson(raw) ? raw["messages"] : undefined;
  return listOf(message)(list) ?? [];
}
/** The response to a send. */
export const readSent = fields({ id: text, created: number });
/** `GET /core/v1/accounts/self` */
export const readSelf = fields({ id: integerText, name: text, phone: text, profile_url: text });
export const readSubscriptions = fields({ subscriptions: listOf(fields({ url: text })) });
/** The URL of a picture's largest size. */
export function largest(all: Readonly<Record<string, string>> | undefined): string | undefined {
  const area = (size: string): number =>
    size.split("x").reduce((product, side) => product * (Number.parseInt(side, 10) || 0), 1);
  return Object.entries(all ?? {}).sort(([a], [b]) => area(b) - area(a))[0]?.[1];
}
