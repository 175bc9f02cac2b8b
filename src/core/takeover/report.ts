/** What is taken over, in this order. */
export const PARTS = [
  "channels",
  "users",
  "contacts",
  "deals",
  "pipelines",
  "templates",
  "canned answers",
  "messages",
  "files",
] as const;
export type Part = (typeof PARTS)[number];

/** Something that was not taken over, or not as the original has it. */
export interface LeftOut {
  readonly part: Part;
  /** Its id; of a message, the line of the dump. */
  readonly subject: string;
  readonly reason: string;
}

export interface PartReport {
  /** How many the original has given. */
  read: number;
  /** New here. */
  added: number;
  /** Replaced here. */
  changed: number;
  /** Here already, with the same content. */
  same: number;
  /** By reason. */
  readonly leftOut: Map<string, number>;
  /** The first of each reason. */
  readonly examples: LeftOut[];
  /** Why the whole part, or its rest, was left out; null: it was not. */
  missing: string | null;
}

const EXAMPLES = 5;

/** Counts what happens to each part. `onLeftOut`: called for everything that is left out, however much that is. */
export class TakeoverReport {
  readonly parts: ReadonlyMap<Part, PartReport>;
  readonly #onLeftOut: (left: LeftOut) => void;

  constructor(onLeftOut: (left: LeftOut) => void) {
    this.#onLeftOut = onLeftOut;
    this.parts = new Map(
      PARTS.map((part) => [
        part,
        { read: 0, added: 0, changed: 0, same: 0, leftOut: new Map(), examples: [], missing: null },
      ]),
    );
  }

  of(part: Part): PartReport {
    const found = this.parts.get(part);
    if (found === undefined) throw new Error(`There is no part ${part}`);
    return found;
  }

  leaveOut(part: Part, subject: string, reason: string): void {
    const { leftOut, examples } = this.of(part);
    const count = (leftOut.get(reason) ?? 0) + 1;
    leftOut.set(reason, count);
    const left = { part, subject, reason };
    if (count <= EXAMPLES) examples.push(left);
    this.#onLeftOut(left);
  }
}
