import type { ChatType } from "../../../core/transport/definition.ts";
import type { Contact, GroupPerson } from "../../../core/transport/events.ts";
import { pictureRef } from "../inbound/file-token.ts";
import { chatIdOf, type TgKnown } from "../inbound/update.ts";

/** The people and chats that an update names, by chat id. */
export type Known = ReadonlyMap<string, TgKnown>;

/** The chat id of a user or chat object (TL types `User` and `Chat`). */
export function idOfKnown({ _: kind, id }: TgKnown): string | undefined {
  if (id === undefined) return undefined;
  if (kind === "user") return chatIdOf({ userId: id });
  return kind?.startsWith("channel") === true ? chatIdOf({ channelId: id }) : chatIdOf({ chatId: id });
}

export function chatTypeOf(chatId: string): ChatType {
  return chatId.startsWith("-") ? "telegroup" : "telegram";
}

/** "" if no name is known. */
export function nameOf(who: TgKnown | undefined): string {
  if (who?.title !== undefined) return who.title;
  return [who?.firstName, who?.lastName].filter(Boolean).join(" ") || (usernameOf(who) ?? "");
}

/** Accounts may have several usernames (core.telegram.org/api/fragment); the first active one is used. */
export function usernameOf(who: TgKnown | undefined): string | undefined {
  return who?.username ?? who?.usernames?.find(({ active }) => active === true)?.username;
}

export function phoneOf(who: TgKnown | undefined): string | undefined {
  return who?.phone?.replace(/\D/g, "") || undefined;
}

export function contactOf(chatId: string, known: Known): Contact {
  const who = known.get(chatId);
  const username = usernameOf(who);
  const phone = phoneOf(who);
  const avatar = pictureRef(chatId, who?.photo);
  return {
    name: nameOf(who),
    ...(username !== undefined && { username }),
    ...(phone !== undefined && { phone }),
    ...(avatar !== undefined && { avatar }),
  };
}

/** A person in a group; falls back to the id if the name is unknown. */
export function personOf(chatId: string, known: Known): GroupPerson {
  const who = known.get(chatId);
  const username = usernameOf(who);
  const phone = phoneOf(who);
  return {
    id: chatId,
    name: nameOf(who) || chatId,
    ...(username !== undefined && { username }),
    ...(phone !== undefined && { phone }),
  };
}
