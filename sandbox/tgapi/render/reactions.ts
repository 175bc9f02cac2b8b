import type { tl } from "@mtcute/core";
import { dialogOf, type Letter } from "../world/letter.ts";
import { toTlPeer } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import { idFor } from "./message.ts";

/** In groups, the platform names only the newest ones. */
const maxRecent = 3;

/** https://core.telegram.org/constructor/messageReactions */
function renderReactions(viewer: Person, { reactions }: Letter): tl.RawMessageReactions {
  const counts = new Map<string, number>();
  for (const { emoticon } of reactions.values()) counts.set(emoticon, (counts.get(emoticon) ?? 0) + 1);
  const own = reactions.get(viewer.id)?.emoticon;
  const newest = [...reactions].sort(([, one], [, other]) => other.date - one.date);
  return {
    _: "messageReactions",
    canSeeList: true,
    results: [...counts].map(([emoticon, count]) => ({
      _: "reactionCount",
      reaction: { _: "reactionEmoji", emoticon },
      count,
      ...(emoticon === own && { chosenOrder: 0 }),
    })),
    recentReactions: newest.slice(0, maxRecent).map(([id, { emoticon, date }]) => ({
      _: "messagePeerReaction",
      my: id === viewer.id,
      peerId: { _: "peerUser", userId: id },
      date,
      reaction: { _: "reactionEmoji", emoticon },
    })),
  };
}

/** https://core.telegram.org/constructor/updateMessageReactions */
export function renderReactionUpdate(viewer: Person, letter: Letter): tl.RawUpdateMessageReactions {
  return {
    _: "updateMessageReactions",
    peer: toTlPeer(dialogOf(letter, viewer.id)),
    msgId: idFor(letter, viewer),
    reactions: renderReactions(viewer, letter),
  };
}
