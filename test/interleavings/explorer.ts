import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import {
  type BulkSize,
  ConnectionLost,
  isConflict,
  type Queryable,
  type Statement,
} from "../../src/database/database.ts";
import { parameterOf, VALUE_TYPES } from "../../src/database/value-types.ts";

/** The connection of an actor, which the functions of core use as their database. */
export interface Steps extends Queryable {
  tx<T>(work: (tx: Steps & { commitNow(): void }) => Promise<T>): Promise<T>;
  bulk<T>(size: BulkSize, work: (tx: Steps & { commitNow(): void }) => Promise<T>): Promise<T>;
}

/** Statements of one connection, in their order. */
export type Actor = (db: Steps) => Promise<unknown>;

/** One actor that runs these in sequence. */
export const inTurn =
  (...actors: readonly Actor[]): Actor =>
  async (steps) => {
    for (const actor of actors) await actor(steps);
  };

export interface Scenario {
  /** Called before each run. */
  prepare(): Promise<{ readonly actors: readonly Actor[]; check(): Promise<void> }>;
  /**
   * The response to this statement of the first actor is lost although the statement took effect; the actor then
   * ends.
   */
  readonly loses?: number;
  /**
   * How often an actor that could continue is preempted; by default, whenever possible. Nearly all faults need at
   * most two.
   */
  readonly interruptions?: number;
}

const LOST = new ConnectionLost(new Error("lost"), { rolledBack: false });
const MAX_RUNS = 2_000;
/** Longer than most statements take. */
const USUAL_MS = 3;
/** From a statement that takes longer until PostgreSQL is asked again whether it waits. */
const ASK_AGAIN_MS = 1;
const WAITS = { name: "waits", text: "select cardinality(pg_blocking_pids($1)) > 0 as waits" };

/** Connections to a database on which scenarios run, one after another. */
export interface Explorer {
  /**
   * Runs a scenario once for each order in which PostgreSQL can receive the statements of its actors. An actor's next
   * statement is sent when the explorer schedules it; an actor that waits for a lock is skipped until it has the lock.
   * `check` is called after each run. Returns the number of orders.
   */
  explore(scenario: Scenario): Promise<number>;
  close(): Promise<void>;
}

/** The connections serve all scenarios: on a new one, PostgreSQL plans each statement anew, which takes longer than a run. */
export async function openExplorer(config: pg.ClientConfig): Promise<Explorer> {
  const lanes = await Promise.all([0, 1, 2].map(() => connect(config)));
  const monitor = await connect(config);
  return {
    explore: (scenario) => explore(scenario, lanes, monitor),
    async close() {
      await Promise.all([...lanes, monitor].map((client) => client.end()));
    },
  };
}

async function explore(scenario: Scenario, lanes: readonly pg.Client[], monitor: pg.Client): Promise<number> {
  let order: number[] = [];
  for (let runs = 1; runs <= MAX_RUNS; runs++) {
    const { actors, check } = await scenario.prepare();
    const running = actors.map((actor, index) => {
      const client = lanes[index];
      if (client === undefined) throw new Error("There are more actors than connections");
      return new Running(client, actor, index === 0 ? scenario.loses : undefined);
    });
    const choices = await runIn(order, running, { monitor, most: scenario.interruptions });
    try {
      for (const { fault } of running) if (fault !== null) throw fault;
      await check();
    } catch (error) {
      const trace = choices.map(({ label }) => label).join("\n  ");
      throw new Error(`In this order:\n  ${trace}\n${String(error)}`, { cause: error });
    }
    const next = choices.findLastIndex(({ taken, of }) => taken + 1 < of);
    if (next === -1) return runs;
    order = [...choices.slice(0, next).map(({ taken }) => taken), (choices[next]?.taken ?? 0) + 1];
  }
  throw new Error(`There are more than ${MAX_RUNS} orders`);
}

interface Choice {
  readonly taken: number;
  readonly of: number;
  readonly label: string;
}

async function runIn(
  order: readonly number[],
  running: readonly Running[],
  { monitor, most = Number.POSITIVE_INFINITY }: { monitor: pg.Client; most: number | undefined },
): Promise<Choice[]> {
  const choices: Choice[] = [];
  let current: Running | undefined;
  let interruptions = 0;
  for (const each of running) await each.settled(monitor);
  for (;;) {
    const ready = running.filter(({ isReady }) => isReady);
    if (ready.length === 0) {
      const blocked = running.filter(({ isDone }) => !isDone);
      if (blocked.length === 0) return choices;
      // A deadlock: PostgreSQL aborts one of them.
      await Promise.race(blocked.map((each) => each.changed));
    } else {
      const goesOn = current !== undefined && ready.includes(current);
      const isBound = goesOn && interruptions >= most;
      const open = isBound ? ready.filter((each) => each === current) : ready;
      const taken = Math.min(order[choices.length] ?? 0, open.length - 1);
      const actor = open[taken] as Running;
      if (goesOn && actor !== current) interruptions++;
      current = actor;
      choices.push({ taken, of: open.length, label: `${running.indexOf(actor)}: ${actor.next}` });
      actor.go();
    }
    for (const each of running) await each.settled(monitor);
  }
}

async function connect(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...config, types: VALUE_TYPES });
  await client.connect();
  await client.query("set plan_cache_mode = force_generic_plan; set enable_seqscan = off");
  return client;
}

/** One actor, which stops before each of its statements. */
class Running {
  /** The statement that it wants to send; "" if there is none. */
  next = "";
  isDone = false;
  fault: unknown = null;
  readonly #client: pg.Client;
  readonly #loses: number | undefined;
  #sent = 0;
  #waits = false;
  #release: (() => void) | null = null;
  #change = Promise.withResolvers<void>();
  /** Statements may be issued without awaiting each. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: pg.Client, actor: Actor, loses: number | undefined) {
    this.#client = client;
    this.#loses = loses;
    void this.#run(actor);
  }

  get isReady(): boolean {
    return this.#release !== null;
  }

  /** Resolves when it is ready, or done. */
  get changed(): Promise<void> {
    return this.#change.promise;
  }

  go(): void {
    const release = this.#release;
    this.#release = null;
    this.next = "";
    this.#change = Promise.withResolvers();
    release?.();
  }

  /** Resolves when it is ready, done, or waiting for a lock. */
  async settled(monitor: pg.Client): Promise<void> {
    // Few statements wait. Asking about one from its start takes more processor time than the statement itself.
    if (!this.#waits) await this.#changedWithin(USUAL_MS);
    while (!this.isReady && !this.isDone) {
      const pid = (this.#client as unknown as { processID: number }).processID;
      const { rows } = await monitor.query({ ...WAITS, values: [pid] });
      await new Promise((resolve) => setImmediate(resolve));
      this.#waits = rows[0]?.waits === true;
      if (this.#waits && !this.isReady && !this.isDone) return;
      await this.#changedWithin(ASK_AGAIN_MS);
    }
    this.#waits = false;
  }

  async #changedWithin(ms: number): Promise<void> {
    if (!this.isReady && !this.isDone) await Promise.race([this.changed, pause(ms)]);
  }

  async #run(actor: Actor): Promise<void> {
    try {
      await actor(this.#steps());
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.fault = error;
    }
    this.isDone = true;
    this.#change.resolve();
  }

  #steps(connection?: { isLost: boolean }): Steps {
    const query: Queryable["query"] = (statement, values) =>
      this.#step(statement, values, connection ?? { isLost: false }) as never;
    return {
      query,
      tx: (work) => this.#transaction(work),
      // The explorer decides which actor continues.
      bulk: (_size, work) => this.#transaction(work),
    };
  }

  async #transaction<T>(work: (tx: Steps & { commitNow(): void }) => Promise<T>): Promise<T> {
    for (;;) {
      await this.#client.query("begin");
      // Statements queued behind the one whose response is lost are lost with the connection.
      const connection = { isLost: false };
      let committed: Promise<unknown> | null = null;
      const commit = () => {
        committed ??= this.#step("commit", undefined, connection);
        return committed;
      };
      const tx = { ...this.#steps(connection), commitNow: () => void commit().catch(() => undefined) };
      try {
        const result = await work(tx);
        await commit();
        return result;
      } catch (error) {
        await this.#client.query("rollback");
        if (!isConflict(error)) throw error;
      }
    }
  }

  #step(
    statement: Statement | string,
    values: readonly unknown[] | undefined,
    connection: { isLost: boolean },
  ): Promise<unknown> {
    const step = this.#last.then(async () => {
      if (connection.isLost) throw LOST;
      try {
        return await this.#send(statement, values);
      } catch (error) {
        connection.isLost = error === LOST;
        throw error;
      }
    });
    this.#last = step.catch(() => undefined);
    return step;
  }

  async #send(statement: Statement | string, values?: readonly unknown[]): Promise<unknown> {
    await new Promise<void>((resolve) => {
      this.next = typeof statement === "string" ? statement : statement.name;
      this.#release = resolve;
      this.#change.resolve();
    });
    const query = typeof statement === "string" ? { text: statement } : { ...statement };
    const number = this.#sent++;
    const { rows } = await this.#client.query({
      ...query,
      ...(values === undefined ? {} : { values: values.map(parameterOf) }),
    });
    if (number === this.#loses) throw LOST;
    return rows;
  }
}
