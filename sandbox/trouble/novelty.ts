/**
 * What messengers add to their reports without notice. A setting of an emulator, `novelty`: the seed, so that a run can
 * be repeated; 0 adds nothing.
 */
export class Novelty {
  readonly #random: () => number;

  /** `turn`: the number of the report. */
  constructor(seed: number, turn: number) {
    this.#random = seed === 0 ? () => 1 : randomFrom(seed * 7919 + turn);
  }

  /** One in four times. */
  happens(): boolean {
    return this.#random() < 0.25;
  }

  /** A number that no field or kind has. */
  number(): number {
    return 100 + Math.floor(this.#random() * 900);
  }

  /** The value with unknown fields in some of its objects. */
  sprinkled<T>(value: T): T {
    return this.#sprinkled(value) as T;
  }

  #sprinkled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#sprinkled(item));
    if (typeof value !== "object" || value === null) return value;
    const known = Object.entries(value).map(([name, part]) => [name, this.#sprinkled(part)]);
    const added = this.happens() ? [[`new_${this.number()}`, { kind: "novelty", level: this.number() }]] : [];
    return Object.fromEntries([...known, ...added]);
  }
}

/** Numbers from 0 to 1 (the generator "mulberry32"). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
