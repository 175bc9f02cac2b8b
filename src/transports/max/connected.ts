import { setTimeout as sleep } from "node:timers/promises";
import { backOffMs } from "../../platform/queue/back-off.ts";
import type { Json } from "../kit/json.ts";
import { BoundedMap } from "./bounded-map.ts";
import { isUnauthorized, NoResponse, Refusal } from "./errors.ts";
import { catchUp } from "./inbound/catch-up.ts";
import { HistoryImport } from "./inbound/history.ts";
import type { Marker } from "./inbound/marker.ts";
import { isUncertain } from "./inbound/patience.ts";
import { isHandled, Receiver } from "./inbound/receiver.ts";
import { readNewMessage } from "./inbound/update.ts";
import type { MaxClient, Push } from "./line/client.ts";
import type { MaxLink } from "./link.ts";
import { ReadyFiles } from "./outbound/ready-files.ts";
import type { Line } from "./outbound/sender.ts";
import type { SentLog } from "./outbound/sent-log.ts";
import { People } from "./people/people.ts";
import type { MaxChat, readLogin } from "./people/profile.ts";
import type { Timing } from "./timing.ts";
import { OP } from "./wire/opcodes.ts";

/** The maximum number of pushes waiting to be stored. The next connection fetches the later ones. */
const MOST_WAITING = 500;
const KEPT_UNREAD = 200;
/** After this many failed catch-ups, what MAX does not return is skipped: the account would never become active. */
const MOST_FAILED_CATCH_UPS = 5;
/** Pauses while MAX refuses missed messages, as multiples of the first pause between connections. */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 300;

export type LoggedIn = NonNullable<ReturnType<typeof readLogin>>;

export interface ConnectedParts {
  readonly link: MaxLink;
  readonly client: Pick<MaxClient, "ended" | "call" | "close">;
  readonly timing: Timing;
  readonly marker: Marker;
  readonly sent: SentLog;
  readonly phones: BoundedMap<string, string | null>;
  readonly self: string;
  readonly signal: AbortSignal;
  /** Called when the account's token is no longer valid. */
  revoked(): void;
}

/** A connection with a logged-in account: it receives in order and sends, until it ends. */
export class Connected {
  readonly #parts: ConnectedParts;
  readonly #people: People;
  readonly #receiver: Receiver;
  readonly #ready = new ReadyFiles();
  readonly #unread: Line["unread"] = new BoundedMap(KEPT_UNREAD);
  readonly #over = new AbortController();
  readonly #waiting: Push[] = [];
  /** Whether a push was dropped. Later ones are dropped too: they would advance the marker past it. */
  #hasLost = false;
  #isCaughtUp = false;
  /** The time of the login by MAX's clock. */
  #loggedInAt = Date.now();
  #taking: Promise<void> = Promise.resolve();
  #isTaking = false;

  constructor(parts: ConnectedParts) {
    this.#parts = parts;
    const { link, marker, sent, signal, self, client } = parts;
    this.#people = new People(self, (opcode, payload) => this.#ask(opcode, payload));
    this.#receiver = new Receiver({
      link,
      people: this.#people,
      ask: (opcode, payload) => this.#ask(opcode, payload),
      sent,
      marker,
      signal,
    });
    void client.ended.then(() => this.#over.abort());
  }

  /** Handles a push. */
  take(push: Push): void {
    const { opcode, payload } = push;
    if (opcode === OP.newMessage) this.#noteUnread(payload);
    if (opcode === OP.logout) this.#parts.revoked();
    else if (opcode === OP.attachmentReady) this.#ready.take(payload);
    else if (isHandled(push)) this.#await(push);
  }

  #await(push: Push): void {
    if (this.#hasLost || this.#waiting.length >= MOST_WAITING) this.#hasLost = true;
    else this.#waiting.push(push);
    if (this.#isCaughtUp) this.#takeWaiting();
  }

  /**
   * Stores the contacts and chats of the login, and fetches the messages missed meanwhile. Rejects if the connection
   * is lost before they are stored.
   */
  async catchUp({ chats = [], contacts = [], time }: LoggedIn): Promise<void> {
    const { marker, link } = this.#parts;
    for (const contact of contacts) this.#people.learnContact(contact);
    for (const chat of chats) this.#people.learnChat(chat);
    const since = await marker.load();
    const now = time ?? Date.now();
    this.#loggedInAt = now;
    if (since > 0) await this.#fetchMissed(since, chats);
    else await marker.beginAt(now);
    marker.failedCatchUps = 0;
    // From now on, pushes are emitted.
    await marker.advance(now, { now: true });
    this.#isCaughtUp = true;
    this.#takeWaiting();
    link.log("debug", "MAX: caught up", { since, chats: chats.length });
  }

  /** Imports earlier messages in the background, if they are wanted. Call it once, when the account is active. */
  importHistory(): void {
    const { link, timing } = this.#parts;
    const history = new HistoryImport({
      ...{ link, timing, people: this.#people, signal: this.#over.signal },
      // Later messages are reported as they arrive.
      now: this.#loggedInAt + 60_000,
      ask: (opcode, payload) => this.#ask(opcode, payload),
      pause: (failures) => this.#pause(failures),
      log: (level, message, details) => link.log(level, message, details),
      read: (chatId, raw) => this.#receiver.fromHistory(chatId, raw),
    });
    void history.run();
  }

  line(): Line | null {
    if (this.#over.signal.aborted) return null;
    const { link, sent, phones, timing } = this.#parts;
    return {
      link,
      sent,
      phones,
      timing,
      ask: (opcode, payload) => this.#ask(opcode, payload),
      people: this.#people,
      ready: this.#ready,
      unread: this.#unread,
      signal: this.#over.signal,
    };
  }

  reprocess(letter: unknown): Promise<void> {
    return this.#receiver.reprocess(letter);
  }

  /** Resolves when no push is being processed and the marker is saved. */
  async settle(): Promise<void> {
    this.#waiting.length = 0;
    await this.#taking.catch(() => undefined);
    if (this.#isCaughtUp) await this.#parts.marker.save().catch(() => undefined);
  }

  async #fetchMissed(since: number, chats: readonly MaxChat[]): Promise<void> {
    const { link, marker } = this.#parts;
    const { linkedAt } = marker;
    const ask = (opcode: number, payload: object) => this.#ask(opcode, payload);
    const log = (level: "warn", message: string, details: Readonly<Record<string, unknown>>) =>
      link.log(level, message, details);
    const pause = (failures: number): Promise<void> => this.#pause(failures);
    const maySkip = marker.failedCatchUps >= MOST_FAILED_CATCH_UPS;
    const parts = {
      ask,
      people: this.#people,
      receiver: this.#receiver,
      since,
      linkedAt,
      maySkip,
      pause,
      log,
    };
    try {
      await catchUp(parts, chats);
    } catch (error) {
      if (isUncertain(error)) marker.failedCatchUps++;
      throw error;
    }
  }

  async #pause(failures: number): Promise<void> {
    const { firstPauseMs } = this.#parts.timing;
    const pauses = { firstMs: firstPauseMs * FIRST_PAUSE, longestMs: firstPauseMs * LONGEST_PAUSE };
    await sleep(backOffMs(failures, pauses), undefined, { signal: this.#over.signal }).catch(() => {
      throw new NoResponse("The connection was lost", { sent: false });
    });
  }

  /** A refusal may concern the account as a whole. */
  async #ask(opcode: number, payload: object): Promise<Json> {
    try {
      return await this.#parts.client.call(opcode, payload);
    } catch (error) {
      if (error instanceof Refusal && isUnauthorized(error)) this.#parts.revoked();
      throw error;
    }
  }

  #noteUnread(payload: unknown): void {
    const { chatId, message } = readNewMessage(payload) ?? {};
    const { id, time, sender } = message ?? {};
    if (chatId === undefined || id === undefined || time === undefined) return;
    if (sender === this.#people.self) this.#unread.delete(chatId);
    else this.#unread.set(chatId, { id, time });
  }

  #takeWaiting(): void {
    if (this.#isTaking) return;
    this.#isTaking = true;
    this.#taking = this.#takeInTurn();
    this.#taking.catch(() => undefined);
  }

  async #takeInTurn(): Promise<void> {
    const { client, link } = this.#parts;
    try {
      for (let push = this.#waiting.shift(); push !== undefined; push = this.#waiting.shift())
        await this.#receiver.take(push);
    } finally {
      // Not in a later step: a push taken in between would wait for the next one.
      this.#isTaking = false;
    }
    if (!this.#hasLost) return;
    link.log("info", "MAX: more messages arrived than could be stored; they are fetched again");
    client.close("too many pushes");
  }
}
