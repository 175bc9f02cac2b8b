import { type CrowdStage, pick } from "./contract.ts";

/** A message in the body of a callback. */
export interface Heard {
  /** Identifies the chat among all others of the messenger. */
  readonly seat: string;
  readonly id: string;
  readonly text: string;
}

/** One attempt to deliver. */
export interface Attempt {
  readonly url: string;
  /** The body. */
  readonly text: string;
}

/** As `GET /callbacks` lists it. */
interface Listed extends Attempt {
  readonly seq: number;
  readonly status: number;
}

interface Page {
  readonly complete: boolean;
  readonly last_seq: number;
  readonly items: readonly Listed[];
}

interface Held {
  readonly holding: boolean;
  readonly items: readonly { readonly number: number }[];
}

/** Callbacks that are held back, batched, reordered, duplicated, or repeated later. */
export interface CallbackTrouble {
  begin(): Promise<unknown>;
  /** Resolves once the service has accepted a callback with the message. */
  accepted(id: string): Promise<void>;
  /** Releases what is held, in an order that depends on `dice`, and repeats an old callback. Works without `begin`, too. */
  jolt(dice: number): Promise<void>;
  end(): Promise<void>;
  /** Texts of the chat in callbacks that the service accepted, each at its first position. */
  given(seat: string): Promise<string[]>;
}

/** For emulators that can hold callbacks back. `read` finds the messages of people and owners in a callback. */
export function callbackTrouble(
  { admin }: CrowdStage,
  read: (attempt: Attempt) => readonly Heard[],
): CallbackTrouble {
  const release = async (dice: number, keepHolding: boolean): Promise<void> => {
    const { holding, items } = await admin<Held>("GET", "/callbacks/holds");
    if (!holding) return;
    const numbers = items.map(({ number }) => number);
    await admin("POST", "/callbacks/releases", {
      batch: dice % 2 === 0,
      pick: shuffled(numbers, dice),
      keep_holding: keepHolding,
    });
  };
  const list = async (limit: number): Promise<readonly Listed[]> =>
    (await admin<Page>("GET", `/callbacks?limit=${limit}`)).items;
  return {
    async begin() {
      await admin("POST", "/settings", { deliveries: 2 });
      await admin("POST", "/callbacks/holds");
    },
    async accepted(id) {
      for (let after = 0; ; ) {
        const query = `status=200&after=${after}&count=1`;
        const { complete, last_seq, items } = await admin<Page>("GET", `/callbacks?${query}`);
        if (items.some((attempt) => read(attempt).some((heard) => heard.id === id))) return;
        if (!complete) throw new Error(`the service did not accept message ${id}`);
        after = last_seq;
      }
    },
    async jolt(dice) {
      await release(dice, true);
      const some = await list(50);
      if (some.length === 0) return;
      await admin("POST", `/callbacks/${pick(some, dice).seq}/repeats`, { times: 1 + (dice % 2) });
    },
    async end() {
      await release(0, false);
      // Callbacks that arrived between the query and the release.
      const { holding } = await admin<Held>("GET", "/callbacks/holds");
      if (holding) await admin("POST", "/callbacks/releases", { batch: true });
    },
    async given(seat) {
      const taken = (await list(10_000)).filter(({ status }) => status === 200);
      const first = new Map<string, string>();
      for (const heard of taken.flatMap((attempt) => read(attempt)))
        if (heard.seat === seat && !first.has(heard.id)) first.set(heard.id, heard.text);
      return [...first.values()];
    },
  };
}

/** A permutation that depends on `dice`; 0 keeps the order. */
function shuffled(numbers: readonly number[], dice: number): number[] {
  const place = (number: number): number => (number * dice) % 97;
  return numbers.toSorted((a, b) => place(a) - place(b));
}
