import { EventEmitter, once } from "node:events";
import { type Database, type Queryable, sql } from "../../database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { Base } from "../base.ts";
import { AccountElsewhere, AppError } from "../errors.ts";
import { OtherCells } from "./other-cells.ts";
import type { SourceState } from "./source.ts";

const LIST = sql(
  "account_moves_list",
  `select account_id as "accountId", state, address,
     extract(epoch from hold_until - clock_timestamp())::float8 * 1000 as "leftMs"
   from account_moves where side = 'source' and state <> 'left'
   union all
   (select account_id, state, address, null from account_moves where side = 'source' and state = 'left' limit 1)`,
);
const FIND = sql(
  "moved_address_find",
  `select s.address from moved_addresses m
   join account_moves s on s.account_id = any(array[m.account_id]) and s.side = 'source' and s.state in ('moved', 'left')
   where m.kind = $1 and m.key = $2`,
);
const OF_TRANSPORT = sql(
  "moved_addresses_of_transport",
  `select distinct s.address from moved_addresses m
   join account_moves s on s.account_id = any(array[m.account_id]) and s.side = 'source' and s.state in ('moved', 'left')
   where m.kind = 'transport' and m.key = $1`,
);

/** How often the state is read while an account rests: a notification may be lost. */
const POLL_MS = 100;
/** Otherwise. */
const REFRESH_MS = 5_000;
/** A request waits no longer for the end of a move. */
const WAIT_MS = 20_000;

interface Leaving {
  readonly accountId: number;
  readonly state: SourceState;
  readonly address: string;
  /** Of a hold. */
  readonly leftMs: number | null;
}

/** By what a request is recognised that does not name its account. */
export type AddressKind = "token" | "ticket" | "session" | "channel" | "file" | "export";

/** The cell of the account that has left with this; null: none has. */
export async function movedAddress(db: Queryable, kind: AddressKind, key: string): Promise<string | null> {
  const [row] = await db.query<{ address: string }>(FIND, [kind, key]);
  return row?.address ?? null;
}

/** The accounts that leave, or have left, this cell, as this node knows them. */
export interface HasMoves {
  readonly moves: Moves;
}

export class Moves {
  readonly cells = new OtherCells();
  readonly #db: Database;
  readonly #log: Log;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  /** Of the accounts that have left, whose rows are gone, one at most. */
  #leaving: ReadonlyMap<number, Leaving> = new Map();
  #reading: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ db, log, signals }: Pick<Base, "db" | "log" | "signals">) {
    this.#db = db;
    this.#log = log;
    signals.on("moves", () => this.#refresh());
    this.#refresh();
  }

  /** Called whenever an account begins to rest, goes on or has left. */
  onChange(handler: () => void): void {
    this.#changes.on("change", handler);
  }

  /** Whether the account must not be worked on here: it rests, or it has left. */
  isAway(accountId: number): boolean {
    const state = this.#leaving.get(accountId)?.state;
    return state !== undefined && state !== "copying";
  }

  /** Accounts whose rows exist here although nobody may work on them. */
  resting(): number[] {
    return [...this.#leaving.values()]
      .filter(({ state }) => state === "holding" || state === "fenced" || state === "moved")
      .map(({ accountId }) => accountId);
  }

  /**
   * Where the account works: null here, otherwise the address of its cell. Waits while that is being decided. Throws
   * UNAVAILABLE if it takes too long.
   */
  async whereIs(accountId: number): Promise<string | null> {
    const deadline = AbortSignal.timeout(WAIT_MS);
    for (;;) {
      const found = this.#leaving.get(accountId);
      if (found === undefined || found.state === "copying") return null;
      if (found.state === "moved" || found.state === "left") return found.address;
      if (deadline.aborted) throw new AppError("UNAVAILABLE", { retryAfter: 1 });
      await once(this.#changes, "change", { signal: deadline }).catch(() => undefined);
    }
  }

  /** `whereIs` once the database's refusal to write for the account is known to this node. */
  async whereIsNow(accountId: number): Promise<string | null> {
    await this.#refresh();
    return this.whereIs(accountId);
  }

  /** Throws `AccountElsewhere` if the account works in another cell. */
  async refuseElsewhere(accountId: number): Promise<void> {
    if (!this.isAway(accountId)) return;
    const address = await this.whereIs(accountId);
    if (address !== null) throw new AccountElsewhere(address);
  }

  /**
   * Throws `AccountElsewhere` if what is unknown here belongs to an account that has left. Otherwise returns whether any
   * account has left: this one may just have come back.
   */
  async refuseMoved(kind: AddressKind, key: string): Promise<boolean> {
    if (!this.#hasLeft()) return false;
    const address = await movedAddress(this.#db, kind, key);
    if (address !== null) throw new AccountElsewhere(address);
    return true;
  }

  /** The cells of accounts that have left with channels of this transport. */
  async cellsOf(transport: string): Promise<ReadonlySet<string>> {
    if (!this.#hasLeft()) return new Set();
    const rows = await this.#db.query<{ address: string }>(OF_TRANSPORT, [transport]);
    return new Set(rows.map(({ address }) => address));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #hasLeft(): boolean {
    for (const { state } of this.#leaving.values()) if (state === "moved" || state === "left") return true;
    return false;
  }

  /** Reads of a node follow one another; each caller gets one that began after its call. */
  #refresh(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const rows = await this.#db.query<Leaving>(LIST);
      // A hold that is over has no effect any more.
      const valid = rows.filter(({ state, leftMs }) => state !== "holding" || (leftMs ?? 0) > 0);
      const before = this.#leaving;
      this.#leaving = new Map(valid.map((row) => [row.accountId, row]));
      if (isDifferent(before, this.#leaving)) this.#changes.emit("change");
    } catch (error) {
      this.#log.debug({ err: error }, "moves of accounts could not be read");
    }
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const rests = [...this.#leaving.values()].some(({ state }) => state === "holding" || state === "fenced");
    this.#timer = setTimeout(() => this.#refresh(), rests ? POLL_MS : REFRESH_MS).unref();
  }
}

function isDifferent(a: ReadonlyMap<number, Leaving>, b: ReadonlyMap<number, Leaving>): boolean {
  if (a.size !== b.size) return true;
  return [...b].some(([id, { state, address }]) => {
    const other = a.get(id);
    return other?.state !== state || other.address !== address;
  });
}
