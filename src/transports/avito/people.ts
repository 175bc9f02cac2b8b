import { fields, number, type Read, text } from "../../platform/foreign/foreign-json.ts";
import { messageOf } from "../../platform/message-of.ts";
import { chatPath } from "./channel.ts";
import type { AvitoClient } from "./client.ts";
import { type AvitoChat, largest, readChat } from "./inbound/update.ts";
import type { ChatFacts } from "./inbound.ts";
import type { AvitoLink } from "./linking/tokens.ts";

const DAY_MS = 86_400_000;
/** People without a picture may have one later. */
const WITHOUT_PICTURE_MS = 6 * 60 * 60_000;
/** Avito requires a webhook response within two seconds. */
const LOOK_UP_MS = 1_000;
/** After this long, Avito is asked again about a chat without a name. */
const RETRY_MS = 10 * 60_000;
const MAX_NAMELESS = 1_000;

/** Until when a chat of a channel counts as one without a name. */
const nameless = new Map<string, number>();

const readKept = fields({
  name: text,
  picture: text,
  profileId: text,
  advert: fields({ id: text, title: text, url: text, price: text }),
  at: number,
});
type Kept = Read<typeof readKept>;

/** The other participant of a chat (the first, if there were several; today there is one) and the chat's listing. */
export function factsOf(chat: AvitoChat, userId: string): ChatFacts {
  return toFacts(keptOf(chat, userId));
}

function keptOf({ users, context }: AvitoChat, userId: string): Kept {
  const person = users?.find(({ id }) => id !== undefined && id !== userId);
  const { images, default: usual } = person?.public_user_profile?.avatar ?? {};
  const { price_string: price, ...item } = context?.value ?? {};
  return {
    name: person?.name,
    picture: largest(images) ?? usual,
    profileId: person?.id,
    advert: context?.type === "item" ? { ...item, price } : undefined,
  };
}

function toFacts({ name, picture, profileId, advert }: Kept): ChatFacts {
  const { id, title, url, price } = advert ?? {};
  return {
    contact: {
      name: name ?? "",
      ...(picture !== undefined && { avatar: { token: `url:${picture}` } }),
      ...(profileId !== undefined && { profileId }),
    },
    ...(id !== undefined && {
      advert: {
        id,
        ...(title !== undefined && { title }),
        ...(url !== undefined && { url }),
        ...(price !== undefined && { price }),
      },
    }),
  };
}

/** Stores the facts about a chat for the nodes that receive its webhooks. */
export async function keepFacts(
  { state, credentials }: AvitoLink,
  chatId: string,
  chat: AvitoChat,
): Promise<void> {
  const kept = keptOf(chat, credentials.user_id);
  if (kept.name !== undefined) await state.set(keyOf(chatId), JSON.stringify({ ...kept, at: Date.now() }));
}

const keyOf = (chatId: string): string => `chat:${chatId}`;

/**
 * The facts about a chat: from the store if less than a day old (without a picture: six hours), otherwise from Avito
 * (`GET v2 …/chats/{chat_id}`). A message waits for them for at most a second; after that it is emitted without a name.
 */
export async function findFacts(link: AvitoLink, client: AvitoClient, chatId: string): Promise<ChatFacts> {
  const kept = readKept(JSON.parse((await link.state.get(keyOf(chatId))) ?? "null"));
  const known = toFacts(kept ?? {});
  const freshMs = kept?.picture === undefined ? WITHOUT_PICTURE_MS : DAY_MS;
  if (Date.now() - (kept?.at ?? 0) < freshMs) return known;
  const place = `${link.channelId}:${chatId}`;
  if ((nameless.get(place) ?? 0) > performance.now()) return known;
  try {
    const timeout = AbortSignal.any([link.signal, AbortSignal.timeout(LOOK_UP_MS)]);
    const chat = readChat(await client.call("GET", chatPath(link, "v2", chatId), { signal: timeout }));
    const facts = factsOf(chat ?? {}, link.credentials.user_id);
    if (facts.contact.name === "") rememberNameless(place);
    if (chat?.users === undefined) return known;
    await keepFacts(link, chatId, chat);
    return facts;
  } catch (error) {
    link.log("debug", "Avito: the participants of the chat could not be fetched", {
      detail: messageOf(error),
    });
    rememberNameless(place);
    return known;
  }
}

function rememberNameless(place: string): void {
  nameless.delete(place);
  nameless.set(place, performance.now() + RETRY_MS);
  const [oldest] = nameless.keys();
  if (nameless.size > MAX_NAMELESS && oldest !== undefined) nameless.delete(oldest);
}
