import { setTimeout as sleep } from "node:timers/promises";
import { isDataFault, isDuplicate } from "../../database/database.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { Base } from "../base.ts";
import { advanceImport, beginImport, type RunningImport } from "../channel/history.ts";
import { clearChatCache, type HasChats } from "../chat/chats.ts";
import { ConcurrencyLimit } from "../concurrency-limit.ts";
import type { HasDeadLetters } from "../dead-letter/dead-letters.ts";
import { announce, publish } from "../event/publish.ts";
import { locate } from "../message/report-chats.ts";
import type { HasReports } from "../message/report-queue.ts";
import type { Fact } from "../payload/facts.ts";
import { retryUntilStored } from "../retry.ts";
import { boundEvent } from "../transport/bounded-event.ts";
import { encodeEvent } from "../transport/event-json.ts";
import { findShapeErrors } from "../transport/event-shape.ts";
import type { HistoryEvent, HistoryMessage, InboundMessage } from "../transport/events.ts";
import { storeHistory } from "./store-history.ts";

interface Place {
  readonly accountId: number;
  readonly channelId: string;
}
type Parts = Base & HasChats & HasReports & HasDeadLetters & HasHistoryTurns;

/** One batch at a time on a node: live traffic has the other connections to the database. */
export interface HasHistoryTurns {
  readonly historyTurns: ConcurrencyLimit;
}

export function createHistoryTurns(): ConcurrencyLimit {
  return new ConcurrencyLimit({ maxConcurrent: 1, maxWaiting: Number.MAX_SAFE_INTEGER, refusal: "" });
}

/** As a multiple of the time that a batch took. */
const REST = 2;
/** A slow batch is not followed by a longer pause than this. */
const MAX_REST_MS = 1_000;

/**
 * Stores a batch of a channel's history; resolves when it is stored. Channels take turns, and after each batch the node
 * rests for twice as long as it took, so that imports use at most a third of one connection's time. Idempotent. Without a wanted
 * import nothing is stored. Messages of customers that were written after the channel was linked are no history: they
 * are recorded as if they had just arrived. Messages that cannot be stored become dead letters.
 */
export function takeHistory(core: Parts, of: Place, event: HistoryEvent, signal: AbortSignal): Promise<void> {
  return core.historyTurns.run(async () => {
    const began = core.clock.monotonicMs();
    await retryUntilStored(
      () => takeBatch(core, of, event),
      () => signal.aborted,
    );
    if (event.messages.length === 0 || event.isDone === true) return;
    const restMs = REST * (core.clock.monotonicMs() - began);
    await sleep(Math.min(MAX_REST_MS, restMs), undefined, { ref: false });
  });
}

async function takeBatch(core: Parts, of: Place, event: HistoryEvent): Promise<void> {
  const running = await beginImport(core, of);
  if (running === null) return;
  const fine = await withoutFaulty(core, of, event.messages);
  for (const message of fine.filter((each) => isLive(each, running)))
    await core.reports.add({ ...of, event: { kind: "message", message: liveMessage(message) } });
  const wanted = fine.filter(({ sentAt }) => sentAt >= running.since && sentAt < running.until);
  await storeWanted(core, of, wanted.slice(0, running.room ?? wanted.length), {
    progress: event.progress ?? null,
    isDone: event.isDone === true || (running.room !== null && running.room <= wanted.length),
    isCut: running.room !== null && running.room < wanted.length,
    batch: running.batches,
  });
}

/** What the owner wrote since is reported as it is sent. */
function isLive({ sentAt, direction }: HistoryMessage, { until }: RunningImport): boolean {
  return direction === "in" && sentAt >= until;
}

function liveMessage({ status: _, isHistory: _history, ...message }: HistoryMessage): InboundMessage {
  return message;
}

interface Outcome {
  readonly batch: number;
  readonly progress: number | null;
  readonly isDone: boolean;
  readonly isCut: boolean;
}

async function storeWanted(
  core: Parts,
  of: Place,
  messages: readonly HistoryMessage[],
  outcome: Outcome,
): Promise<void> {
  try {
    await storeAtOnce(core, of, messages, outcome);
  } catch (error) {
    if (isDuplicate(error)) {
      // Another node has stored a new chat in the meantime: now it is found.
      clearChatCache(core);
      return storeAtOnce(core, of, messages, outcome);
    }
    if (!isDataFault(error) || messages.length === 0) throw error;
    await storeEach(core, of, messages, outcome, error);
  }
}

/** One of the messages is refused by the tables: the others are stored. */
async function storeEach(
  core: Parts,
  of: Place,
  messages: readonly HistoryMessage[],
  outcome: Outcome,
  error: unknown,
): Promise<void> {
  const [message, ...others] = messages;
  if (message === undefined) return;
  if (others.length === 0) {
    await keep(core, of, message, messageOf(error));
    return storeAtOnce(core, of, [], outcome);
  }
  const middle = Math.ceil(messages.length / 2);
  await storeWanted(core, of, messages.slice(0, middle), { ...outcome, isDone: false });
  await storeWanted(core, of, messages.slice(middle), outcome);
}

async function storeAtOnce(
  core: Parts,
  of: Place,
  messages: readonly HistoryMessage[],
  outcome: Outcome,
): Promise<void> {
  const located = await locate(
    core,
    messages.map((message) => ({ ...of, event: { kind: "message", message } }) as const),
  );
  const size = { owner: `history ${of.accountId}`, rows: messages.length };
  const published = await core.db.bulk(size, async (tx) => {
    const { count, facts } = await storeHistory(core, tx, located, outcome.batch);
    const told = await advanceImport(tx, of, { messages: count, ...outcome });
    return publish(tx, [...facts, ...(told === null ? [] : factsOf(of, told))]);
  });
  announce(core, published);
  if (published.length > 0) core.signals.notify("channels", of.channelId);
}

const NO_CHAT = "00000000-0000-0000-0000-000000000000";

/** Open pages read their lists again, instead of being told of each message. */
function factsOf({ accountId }: Place, history: Extract<Fact, { kind: "history" }>["history"]): Fact[] {
  const change = { accountId, about: "reload", chat: NO_CHAT, subject: NO_CHAT } as const;
  return [
    { kind: "history", history },
    { kind: "live", change },
  ];
}

async function withoutFaulty(
  core: Parts,
  of: Place,
  messages: readonly HistoryMessage[],
): Promise<HistoryMessage[]> {
  const fine: HistoryMessage[] = [];
  for (const message of messages) {
    const [fault] = findShapeErrors({ kind: "message", message });
    if (fault === undefined) fine.push(bounded(message));
    else await keep(core, of, message, fault);
  }
  return fine;
}

function bounded(message: HistoryMessage): HistoryMessage {
  const { event } = boundEvent({ kind: "message", message });
  return event.kind === "message" ? { ...event.message, isHistory: true } : message;
}

/** A replay of the letter stores it as an imported message. */
async function keep(
  core: HasDeadLetters,
  of: Place,
  { status: _, ...message }: HistoryMessage,
  reason: string,
): Promise<void> {
  const payload = encodeEvent({ kind: "message", message: { ...message, isHistory: true } });
  await core.deadLetters.add({ ...of, stage: "event", payload, reason });
}
