import type { Base } from "../base.ts";
import { AccountConcurrencyLimit, ConcurrencyLimit } from "../concurrency-limit.ts";
import type { LogRow } from "../event/live-log.ts";
import { type LoadedUpdates, loadUpdates } from "./updates.ts";

/** Of a node; each load holds half a megabyte of text, and a few times that while it is written. */
const MAX_LOADS = 8;
/** For single pages of one account that catch up. */
const MAX_CATCHING_UP = 2;
const UNLIMITED = { maxWaiting: Number.POSITIVE_INFINITY, refusal: "" };

export interface Load {
  readonly accountId: number;
  readonly rows: readonly LogRow[];
  readonly users: readonly string[];
}

/** Limits what the open pages of a node load at a time. */
export class LiveLoader {
  readonly #core: Base;
  readonly #all = new ConcurrencyLimit({ maxConcurrent: MAX_LOADS, ...UNLIMITED });
  readonly #catchingUp = new AccountConcurrencyLimit({ maxConcurrent: MAX_CATCHING_UP, ...UNLIMITED });

  constructor(core: Base) {
    this.#core = core;
  }

  /** For all pages of an account. `use` must not keep the updates, which count as held while it runs. */
  forAll<T>({ accountId, rows, users }: Load, use: (loaded: LoadedUpdates) => T): Promise<T> {
    return this.#all.run(async () => use(await loadUpdates(this.#core, accountId, rows, users)));
  }

  /** The same for a single page; the pages of an account take turns. */
  forOne<T>(load: Load, use: (loaded: LoadedUpdates) => T): Promise<T> {
    return this.#catchingUp.run(load.accountId, () => this.forAll(load, use));
  }
}
