import type { tl } from "@mtcute/core";
import Long from "long";
import { Novelty } from "../../trouble/novelty.ts";
import type { Letter } from "../world/letter.ts";
import type { World } from "../world/world.ts";

// A server sends only what the client's layer has, so news are what hardly any client reads.

/** An update that comes beside the others, now and then; undefined: none this time. `turn`: the number of the push. */
export function newUpdate(world: World, turn: number): tl.TypeUpdate | undefined {
  const novelty = new Novelty(world.settings.novelty, turn);
  return novelty.happens() ? PASSING[novelty.number() % PASSING.length] : undefined;
}

const PASSING: readonly tl.TypeUpdate[] = [
  { _: "updateRecentStickers" },
  { _: "updateSavedGifs" },
  { _: "updateAttachMenuBots" },
  { _: "updateStoriesStealthMode", stealthMode: { _: "storiesStealthMode" } },
  { _: "updateSmsJob", jobId: "novelty" },
];

/** Fields of a message that have no words; the same ones each time that the message is rendered. */
export function newFields(world: World, { date, ids }: Letter): Partial<tl.RawMessage> {
  const turn = date + [...ids.values()].reduce((sum, id) => sum + id, 0);
  const novelty = new Novelty(world.settings.novelty, turn);
  if (!novelty.happens()) return {};
  const number = novelty.number();
  return { invertMedia: true, fromBoostsApplied: number, effect: Long.fromNumber(number) };
}
