import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect, vi } from "vitest";
import { lateSends } from "./late-sends.ts";
import { LEFT, NOTHING_LEFT } from "./left.ts";
import type { Item } from "./receiver.ts";
import { type Answer, type Channel, messageBody, requestId, type Stand } from "./stand.ts";

/** A message that the service accepted. */
interface Accepted {
  readonly chatId: string;
  readonly text: string;
  readonly messageId: string;
}

/** Clients that write to each person of some channels, one message after the other, and what came of it. */
export interface Load {
  readonly accepted: readonly Accepted[];
  /** Answers, or their absence, after which a client gave a message up. */
  readonly givenUp: readonly string[];
  /** Gives each client so many messages more to write. */
  more(messages: number): void;
  /** Resolves when so many have been accepted. */
  untilAccepted(count: number): Promise<void>;
  /** Resolves when every client has written what it was given. */
  idle(): Promise<void>;
}

const REQUEST_PATIENCE_MS = 30_000;
/** A client's pause before it asks a service that did not answer again. */
const BACK_OFF_MS = 20;

/**
 * Every second client repeats a request without an answer under its Idempotency-Key until the message is accepted;
 * the others give it up and go on: such a message may arrive or not, but never twice.
 */
export function startLoad(stand: Stand, channels: readonly Channel[]): Load {
  const accepted: Accepted[] = [];
  const givenUp: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const clients = channels.flatMap((channel) =>
    channel.people.map(
      (chatId, index) => new Client(stand, channel, chatId, index % 2 === 0 ? null : givenUp),
    ),
  );
  const onAccepted = (message: Accepted): void => {
    accepted.push(message);
    for (const { count, resolve } of waiting) if (accepted.length >= count) resolve();
  };
  return {
    accepted,
    givenUp,
    more(messages) {
      for (const client of clients) client.write(messages, onAccepted);
    },
    untilAccepted: (count) =>
      new Promise((resolve) => {
        if (accepted.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async idle() {
      await Promise.all(clients.map((client) => client.done));
    },
  };
}

class Client {
  /** Resolves when all that it was given is written. */
  done: Promise<void> = Promise.resolve();
  #written = 0;
  readonly #stand: Stand;
  readonly #channel: Channel;
  readonly #chatId: string;
  /** Null: it insists. */
  readonly #givenUp: string[] | null;

  constructor(stand: Stand, channel: Channel, chatId: string, givenUp: string[] | null) {
    this.#stand = stand;
    this.#channel = channel;
    this.#chatId = chatId;
    this.#givenUp = givenUp;
  }

  write(messages: number, onAccepted: (message: Accepted) => void): void {
    const before = this.done;
    this.done = (async () => {
      await before;
      for (let index = 0; index < messages; index++) await this.#writeOne(onAccepted);
    })();
    // Whoever waits for `done` hears of a failure; until then it must not count as overlooked.
    this.done.catch(() => undefined);
  }

  async #writeOne(onAccepted: (message: Accepted) => void): Promise<void> {
    const text = textOf(this.#chatId, ++this.#written);
    for (;;) {
      const answer = await this.#request(text);
      if (answer?.status === 200)
        return onAccepted({ chatId: this.#chatId, text, messageId: requestId(answer.json) });
      if (answer !== null && answer.status < 500 && answer.status !== 409)
        throw new Error(`refused: ${answer.status} ${JSON.stringify(answer.json)}`);
      await pause(BACK_OFF_MS);
      if (this.#givenUp === null) continue;
      const reason = answer === null ? "no answer" : `${answer.status} ${JSON.stringify(answer.json)}`;
      this.#givenUp.push(`${text}: ${reason}`);
      return;
    }
  }

  /** Null when no answer came. */
  async #request(text: string): Promise<Answer | null> {
    const key = this.#givenUp === null ? { key: text } : {};
    return this.#stand
      .call("POST", "/v2/messages", messageBody(this.#channel, this.#chatId, text), {
        ...key,
        timeoutMs: REQUEST_PATIENCE_MS,
      })
      .catch(() => null);
  }
}

function textOf(chatId: string, number: number): string {
  return `${prefixOf(chatId)}${number}`;
}

/** Of all texts to this chat. */
function prefixOf(chatId: string): string {
  return `to ${chatId} number `;
}

function numberOf(text: string): number {
  return Number(text.slice(text.lastIndexOf(" ") + 1));
}

/** People alternately write `count` messages to the channel, after the messages requested before. Resolves when they start. */
export async function writeInbound(
  stand: Stand,
  channel: Channel,
  load: { people: number; count: number; rate: number },
): Promise<void> {
  const { people: users, count, rate } = load;
  await vi.waitUntil(
    async () => {
      const { items } = await stand.telegram.admin<{ items: { bot_id: number; done: boolean }[] }>(
        "GET /load",
      );
      return items.every(({ bot_id: botId, done }) => done || botId !== channel.bot.id);
    },
    { timeout: 30_000, interval: 10 },
  );
  await stand.telegram.admin("POST /load", { bot_id: channel.bot.id, users, count, rate });
}

/**
 * Waits for the final status of every accepted message and checks: what was sent arrived once, what is unknown at most
 * once, nothing else arrived, and chats kept their order at the messenger and at the receiver. `late` is how many
 * sends of frozen nodes may have arrived after later ones (`lateSends`), default 0.
 */
export async function checkOutbound(
  stand: Stand,
  load: Load,
  channels: readonly Channel[],
  { late: maxLate = 0 } = {},
): Promise<{ sent: number; unknown: number }> {
  await untilAllTold(stand, load);
  const arrived = await arrivedTexts(channels);
  const verdicts = verdictsOf(stand);
  let late = 0;
  for (const [chatId, accepted] of Map.groupBy(load.accepted, (message) => message.chatId)) {
    const texts = arrived.get(chatId) ?? [];
    const unknowns = new Set(
      accepted.flatMap(({ messageId, text }) => (verdicts.get(messageId) === "UNKNOWN_ERROR" ? text : [])),
    );
    const excused = lateSends(texts, { placeOf: numberOf, isUnknown: (text) => unknowns.has(text) });
    late += excused.length;
    const numbers = texts.filter((text) => !excused.includes(text)).map(numberOf);
    if (late <= maxLate && isDeepStrictEqual(numbers, ascending(numbers))) continue;
    const [all, history] = [texts.map(numberOf), await historyOf(stand, load, chatId)];
    expect(all, `order at the messenger in chat ${chatId} ${history}`).toEqual(ascending(all));
  }
  let unknown = 0;
  for (const { messageId, text, chatId } of load.accepted) {
    const copies = arrived.get(chatId)?.filter((other) => other === text).length ?? 0;
    const verdict = verdicts.get(messageId);
    if (verdict === "sent") expect(copies, `${text} was sent`).toBe(1);
    else {
      expect(verdict, text).toBe("UNKNOWN_ERROR");
      expect(copies, `${text} is unknown`).toBeLessThanOrEqual(1);
      unknown++;
    }
  }
  checkStatusOrder(stand, load);
  return { sent: load.accepted.length - unknown, unknown };
}

/** Waits as long as statuses keep coming. Throws what is known of the messages without one when nothing comes for a minute. */
async function untilAllTold(stand: Stand, load: Load): Promise<void> {
  const untold = () => {
    const told = new Set(finalStatuses(stand).map(({ messageId }) => messageId));
    return load.accepted.filter(({ messageId }) => !told.has(messageId));
  };
  for (let left = untold(); left.length > 0; left = untold()) {
    const before = left.length;
    await stand.receiver
      .until(() => untold().length < before, 60_000)
      .catch(async () => {
        throw new Error(`${before} messages without a final status: ${await stateOf(stand, left)}`);
      });
  }
}

/** The rows of the first of these messages and their receivers, and what the database's sessions do. */
async function stateOf({ db }: Stand, messages: readonly Accepted[]): Promise<string> {
  const ids = messages.slice(0, 3).map(({ messageId }) => messageId);
  const state = await Promise.all([
    db.query("select id, status, status_at, error from messages where id = any($1::uuid[])", [ids]),
    db.query("select * from send_jobs order by created_at limit 5"),
    db.query("select id, account_id, kind from events where subject = any($1)", [ids]),
    db.query("select id, claim, claim_version, position, due, attempts, batch_to from webhook_cursors"),
    db.query("select id, lease_until from nodes"),
    db.query(
      "select state, wait_event, xact_start, left(query, 80) as query from pg_stat_activity where state <> 'idle'",
    ),
  ]);
  return JSON.stringify(state);
}

/** The messages of a chat as they are stored, and what its client gave up. */
async function historyOf({ db }: Stand, { givenUp }: Load, chatId: string): Promise<string> {
  const stored = await db.query(
    `select text, id, created_at, status, status_at, error from messages
     where text like $1 order by created_at, id limit 20`,
    [`${prefixOf(chatId)}%`],
  );
  return JSON.stringify({ givenUp, stored });
}

async function arrivedTexts(channels: readonly Channel[]): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>();
  for (const { bot } of channels) for (const [chat, texts] of await bot.sent()) all.set(chat, texts);
  return all;
}

/** Strictly: a text that is there twice makes a difference. */
function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((a, b) => a - b);
}

function finalStatuses({ receiver }: Stand): Item[] {
  return receiver
    .taken()
    .filter(({ kind, status }) => kind === "statuses" && (status === "sent" || status === "error"));
}

/** `sent` or the code of the error, by message; a message has only one. */
function verdictsOf(stand: Stand): Map<string, string> {
  const verdicts = new Map<string, string>();
  for (const { messageId, status, error } of finalStatuses(stand)) {
    const verdict = status === "sent" ? "sent" : (error?.error ?? "");
    expect(verdicts.get(messageId) ?? verdict, `one outcome of ${messageId}`).toBe(verdict);
    verdicts.set(messageId, verdict);
  }
  return verdicts;
}

function checkStatusOrder(stand: Stand, load: Load): void {
  const place = new Map(
    [...new Set(finalStatuses(stand).map(({ messageId }) => messageId))].map((id, at) => [id, at]),
  );
  for (const [chatId, messages] of Map.groupBy(load.accepted, ({ chatId }) => chatId)) {
    const places = messages.map(({ messageId }) => place.get(messageId) ?? -1);
    expect(places, `order of statuses in chat ${chatId}`).toEqual(ascending(places));
  }
}

/** Waits until `count` messages of people have arrived, and checks that each is there once and in its chat's order. */
export async function checkInbound(stand: Stand, count: number): Promise<void> {
  for (let left = count - inboundOf(stand).length; left > 0; left = count - inboundOf(stand).length) {
    const before = left;
    await stand.receiver.until(() => count - inboundOf(stand).length < before, 60_000);
  }
  const messages = inboundOf(stand);
  expect(messages).toHaveLength(count);
  for (const [chat, items] of Map.groupBy(messages, ({ channelId, chatId }) => `${channelId} ${chatId}`)) {
    const places = items.map(({ text = "" }) => placeOf(text));
    expect(places, `order of messages from ${chat}`).toEqual(ascending(places));
  }
}

/** What `writeInbound` wrote, without repetitions, as the receiver first got it. */
function inboundOf({ receiver }: Stand): Item[] {
  const known = new Map<string, Item>();
  for (const item of receiver.taken()) {
    const ours = item.status === "inbound" && item.text?.startsWith("load ") === true;
    if (ours && !known.has(item.messageId)) known.set(item.messageId, item);
  }
  return [...known.values()];
}

/** `load 2 message 17`: runs follow each other. */
function placeOf(text: string): number {
  const [, run = 0, message = 0] = /^load (\d+) message (\d+)$/.exec(text) ?? [];
  return Number(run) * 1_000_000 + Number(message);
}

/** Nothing is left in the service's queues. */
export async function checkQueuesEmpty(stand: Stand): Promise<void> {
  await expect.poll(() => stand.db.query(LEFT), { interval: 50 }).toEqual([NOTHING_LEFT]);
}
