import type { Random } from "../random.ts";

/** Draws each card once, in random order, before one is drawn again. */
export function createDeck<T>(cards: readonly T[]): (random: Random) => T {
  let left: readonly T[] = [];
  return (random) => {
    if (left.length === 0) left = cards;
    const card = random.pick(left);
    left = left.filter((each) => each !== card);
    return card;
  };
}
