import { createHash } from "node:crypto";

/** A seeded source of random numbers: the same seed gives the same sequence. */
export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  next(): number;
  /** A whole number from 0 inclusive to `below` exclusive. */
  integer(below: number): number;
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** An independent source: what one part draws does not affect another. */
  fork(name: string): Random;
}

export function createRandom(seed: string): Random {
  const next = generator(createHash("sha256").update(seed).digest().readUInt32LE());
  const random: Random = {
    next,
    integer: (below) => Math.floor(next() * below),
    between: (from, to) => from + next() * (to - from),
    chance: (probability) => next() < probability,
    pick(list) {
      const one = list[random.integer(list.length)];
      if (one === undefined) throw new Error("there is nothing to pick from");
      return one;
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  };
  return random;
}

/** Mulberry32: 32 bits of state, plenty for choosing faults. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
