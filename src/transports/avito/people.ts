import type { Contact } from "../../core/transport/events.ts";
import { fields, number, text } from "../../platform/foreign-json.ts";
import { chatPath, describe } from "./channel.ts";
import type { AvitoClient } from "./client.ts";
import type { AvitoLink } from "./tokens.ts";
import { type AvitoChat, largest, readChat } from "./update.ts";

const DAY_MS = 86_400_000;
/** Avito wants its webhook answered within two seconds. */
const LOOK_UP_MS = 1_000;

const readKept = fields({ name: text, picture: text, at: number });

const NOBODY: Contact = { name: "" };

/** The other side of a chat. With several (there are none today) the first. */
export function contactOf(chat: AvitoChat, userId: string): Contact {
  const person = chat.users?.find(({ id }) => id !== undefined && id !== userId);
  const { images, default: usual } = person?.public_user_profile?.avatar ?? {};
  return toContact(person?.name, largest(images) ?? usual);
}

function toContact(name: string | undefined, picture: string | undefined): Contact {
  return { name: name ?? "", ...(picture !== undefined && { avatar: { token: `url:${picture}` } }) };
}

/** Keeps who is in a chat, for the nodes that are called back. */
export async function keepContact(
  { state }: Pick<AvitoLink, "state">,
  chatId: string,
  { name, avatar }: Contact,
): Promise<void> {
  if (name === "") return;
  const picture = avatar?.token.slice("url:".length);
  await state.set(keyOf(chatId), JSON.stringify({ name, picture, at: Date.now() }));
}

const keyOf = (chatId: string): string => `chat:${chatId}`;

/**
 * Who is in a chat: as it was known in the last day, else as Avito says now (`GET v2 …/chats/{chat_id}`). A message does
 * not wait for it longer than a second, and comes without a name then.
 */
export async function findContact(link: AvitoLink, client: AvitoClient, chatId: string): Promise<Contact> {
  const kept = readKept(JSON.parse((await link.state.get(keyOf(chatId))) ?? "null"));
  const known = kept === undefined ? NOBODY : toContact(kept.name, kept.picture);
  if (Date.now() - (kept?.at ?? 0) < DAY_MS) return known;
  try {
    const timeout = AbortSignal.any([link.signal, AbortSignal.timeout(LOOK_UP_MS)]);
    const chat = readChat(await client.call("GET", chatPath(link, "v2", chatId), { signal: timeout }));
    const contact = contactOf(chat ?? {}, link.credentials.user_id);
    await keepContact(link, chatId, contact);
    return contact.name === "" ? known : contact;
  } catch (error) {
    link.log("debug", "Avito: it is not known who is in the chat", { detail: describe(error) });
    return known;
  }
}
