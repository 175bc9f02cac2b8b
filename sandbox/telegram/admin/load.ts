import { AdminError, type Fields, missing } from "../../http/fields.ts";
import type { AdminRoute } from "../../http/route.ts";
import type { Bot } from "../bot.ts";
import { writePrivately } from "../inbound.ts";
import type { User } from "../shape.ts";
import type { World } from "../world.ts";

/** A load run: a number of messages, distributed over users and time. */
interface LoadRun {
  readonly id: number;
  readonly bot: Bot;
  readonly users: readonly User[];
  readonly count: number;
  /** Messages per second; 0: all at once. */
  readonly rate: number;
  /** When the first message was due; message n is due `(n - 1) / rate` seconds later. */
  readonly startedMs: number;
  /** How late each message was written, in milliseconds. */
  readonly lateMs: number[];
  written: number;
  finishedMs: number | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Above this rate, messages are written in groups: a timer per message costs more than the message. */
const singlyUpTo = 100;
const groupMs = 10;
const firstLoadUser = 5_000_000;

/** Lets many users write, without an HTTP request per message. */
export class LoadGenerator {
  readonly #world: World;
  readonly #runs = new Map<number, LoadRun>();

  constructor(world: World) {
    this.#world = world;
  }

  readonly routes: readonly AdminRoute[] = [
    ["POST", "/load", ({ body }) => describe(this.#start(body))],
    ["GET", "/load", () => ({ items: [...this.#runs.values()].map(describe) })],
    [
      "GET",
      "/load/{load_id}",
      ({ params }) => {
        const id = params.needInteger("load_id");
        const run = this.#runs.get(id);
        if (!run) throw missing("load", id);
        return describe(run);
      },
    ],
    ["DELETE", "/load", () => this.stop()],
  ];

  stop(): void {
    for (const run of this.#runs.values()) clearTimeout(run.timer);
    this.#runs.clear();
  }

  #start(body: Fields): LoadRun {
    const count = body.needInteger("count");
    const users = body.integer("users") ?? 1;
    const rate = body.number("rate") ?? 0;
    if (count < 1 || count > 10_000_000)
      throw new AdminError(400, "invalid_field", "count must be 1 to 10000000");
    if (users < 1 || users > 100_000) throw new AdminError(400, "invalid_field", "users must be 1 to 100000");
    if (rate < 0) throw new AdminError(400, "invalid_field", "rate must not be negative");
    const bot = this.#world.bot(body.needInteger("bot_id"));
    const run: LoadRun = {
      id: this.#runs.size + 1,
      bot,
      users: this.#openChats(bot, users),
      count,
      rate,
      // The rate counts from here: opening the chats takes time.
      startedMs: Date.now(),
      lateMs: [],
      written: 0,
      finishedMs: undefined,
      timer: undefined,
    };
    this.#runs.set(run.id, run);
    if (rate === 0) this.#write(run, count);
    else this.#goOn(run);
    return run;
  }

  #openChats(bot: Bot, count: number): User[] {
    const world = this.#world;
    return Array.from({ length: count }, (_, index) => {
      const id = firstLoadUser + index;
      const user = world.users.get(id) ?? world.putUser({ id, first_name: `Customer ${index + 1}` });
      world.openPrivateChat(bot, user);
      return user;
    });
  }

  /** Writes the messages that are due, and schedules the next. */
  #goOn(run: LoadRun): void {
    const passedMs = Date.now() - run.startedMs;
    this.#write(run, Math.min(run.count, Math.floor((passedMs * run.rate) / 1000) + 1));
    if (run.finishedMs !== undefined) return;
    const nextMs = run.startedMs + (run.written * 1000) / run.rate - Date.now();
    const pauseMs = Math.max(Math.ceil(nextMs), run.rate > singlyUpTo ? groupMs : 1);
    run.timer = setTimeout(() => this.#goOn(run), pauseMs).unref();
  }

  #write(run: LoadRun, until: number): void {
    for (; run.written < until; run.written++) {
      const user = run.users[run.written % run.users.length];
      const chat = user && run.bot.privateChat(user.id);
      const dueMs = run.startedMs + (run.rate === 0 ? 0 : (run.written * 1000) / run.rate);
      run.lateMs.push(Date.now() - dueMs);
      if (chat)
        writePrivately(this.#world, run.bot, chat, { text: `load ${run.id} message ${run.written + 1}` });
    }
    if (run.written === run.count) run.finishedMs = Date.now();
  }
}

function describe(run: LoadRun): unknown {
  return {
    id: run.id,
    bot_id: run.bot.id,
    users: run.users.length,
    count: run.count,
    rate: run.rate,
    written: run.written,
    done: run.finishedMs !== undefined,
    pending: run.bot.updates.size,
    elapsed_ms: (run.finishedMs ?? Date.now()) - run.startedMs,
    started_ms: run.startedMs,
    late_p99_ms: run.lateMs.toSorted((a, b) => a - b)[Math.floor(run.lateMs.length * 0.99)] ?? 0,
  };
}
