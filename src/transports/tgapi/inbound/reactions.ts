import type { MessageRef, TransportEvent } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { type Known, personOf } from "../people/names.ts";
import { chatIdOf, type TgReactions } from "./update.ts";

/** A paid reaction is a star. Custom emoji have no text. */
const STAR = "⭐";

/**
 * Telegram reports the state of a message's reactions, not the change (TL type `MessageReactions`). In a private chat it
 * names both people, so who is missing has no reaction. In a group it names only the newest reactions, so that a removal
 * is known of the account's own alone. Of several reactions of a person, the newest counts. Pure.
 */
export function fromReactions(
  reactions: TgReactions,
  ref: MessageRef,
  { known, selfId, now }: { readonly known: Known; readonly selfId: string; readonly now: Date },
): TransportEvent[] {
  const given = new Map<string, { readonly emoji: string; readonly at: Date }>();
  for (const { peerId, date, reaction } of reactions.recentReactions ?? []) {
    const id = chatIdOf(peerId);
    const emoji = reaction?._ === "reactionPaid" ? STAR : reaction?.emoticon;
    const at = dateFromUnix(date, now);
    const earlier = id === undefined ? undefined : given.get(id);
    if (id === undefined || emoji === undefined || (earlier && earlier.at > at)) continue;
    given.set(id, { emoji, at });
  }
  const isPrivate = ref.chatType === "telegram";
  const isOwnKnown =
    reactions.min !== true && !reactions.results?.some((each) => each.chosenOrder !== undefined);
  const people = new Set([...given.keys(), ...(isPrivate ? [ref.chatId] : [])]);
  if (isPrivate || isOwnKnown) people.add(selfId);
  return [...people].map((id) => {
    const { emoji, at } = given.get(id) ?? { emoji: null, at: now };
    const who = personOf(id, known);
    return { kind: "reaction", ref, emoji, at, ...(id !== selfId && { by: { id, name: who.name } }) };
  });
}
