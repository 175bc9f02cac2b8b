import type { World } from "../world.ts";
import type { Dialog } from "./dialog.ts";

/**
 * Numbers of VK's reactions, from 1, in the order of its panel. `messages.getReactionsAssets` returns only pictures for
 * them; the signs are those that public clients show in their place.
 */
export const REACTIONS: readonly string[] = [..."❤️ 🔥 😂 👍 💩 ⁉️ 😭 😡 👎 👌 😃 🤔 🙏 😘 😍 🎉".split(" ")];

/** How many of those who chose a reaction are named: `messages_reaction_counter_response_item` of VK's schema. */
const maxNamed = 3;

/** Sets the reaction of a person or community (negative) to a message, or removes it (undefined). */
export function setReaction(
  world: World,
  dialog: Dialog,
  { cmid, by, id }: { readonly cmid: number; readonly by: number; readonly id: number | undefined },
): void {
  const message = dialog.get(cmid);
  if (!message) return;
  const chosen = dialog.reactionsTo(cmid);
  chosen.delete(by);
  if (id !== undefined) chosen.set(by, id);
  const ids = [...new Set(chosen.values())];
  const counters = ids.map((reaction_id) => {
    const users = [...chosen].filter(([, each]) => each === reaction_id).map(([user]) => user);
    return { reaction_id, count: users.length, user_ids: users.slice(0, maxNamed) };
  });
  const { reactions: _reactions, reaction_id: _own, last_reaction_id: _last, ...rest } = message;
  const own = [...chosen].find(([user]) => user < 0)?.[1];
  const last = [...chosen.values()].at(-1);
  dialog.put({
    ...rest,
    ...(counters.length > 0 && { reactions: counters }),
    ...(own !== undefined && { reaction_id: own }),
    ...(last !== undefined && { last_reaction_id: last }),
  });
  world.changed();
}
