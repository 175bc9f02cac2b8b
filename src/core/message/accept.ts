import { type Database, movedAccountOf, type Queryable } from "../../database/database.ts";
import { createBatcher } from "../../platform/queue/batcher.ts";
import { WaitingSends, withinQuota } from "../quota/waiting-sends.ts";
import { retryOnLostConnection } from "../retry.ts";
import { type AcceptAnswer, storeMessages, weightOf } from "./accept-statement.ts";
import type { AcceptedMessage } from "./accepted-message.ts";

/**
 * The sender of this node's channels. A message that it can send at once is stored with its started mark, so that it
 * is sent without being read and marked first.
 */
export interface SendsAtOnce {
  /**
   * Reserves a slot for the message and blocks its chat for others until `stored` resolves: with the marked job, or null if
   * it is not marked or this is unknown, and then it has to be read before it is sent. Null: the message has to wait, or
   * another node sends it.
   */
  take(message: AcceptedMessage, stored: Promise<StartedJob | null>): StartMark | null;
}

/** The owner of the channel, and its epoch. */
export interface StartMark {
  readonly nodeId: string;
  readonly epoch: number;
}

/** A job that was stored with its started mark. */
export interface StartedJob {
  readonly id: number;
  readonly bytes: number;
  /** The messenger's id of the chat; null for a new chat. */
  readonly chatId: string | null;
  /** Milliseconds since the person last wrote, except comments; null: never. */
  readonly quietMs: number | null;
}

/**
 * Group commit of accepted messages: messages that one node accepts at the same moment are stored by one statement.
 * `add` resolves when the message is durable, or with "repeated", storing nothing, if the account used the same
 * `crm_message_id` for another message less than a minute ago. Repeating a message (same id) changes nothing, so a
 * batch whose outcome was lost with the connection is sent again. Messages of accounts near their quota of waiting
 * sends take a separate path that counts them.
 */
export interface AcceptQueue {
  add(message: AcceptedMessage): Promise<Acceptance>;
  /** Offers messages to `sends` from now on; null: to no sender. */
  offerTo(sends: SendsAtOnce | null): void;
  close(): Promise<void>;
}

export interface HasAccept {
  readonly accept: AcceptQueue;
}

/**
 * Nothing is stored unless "stored". "full": the account's quota of waiting sends is used up. "moved": the chat does not
 * exist under this id any more; find it again.
 */
export type Acceptance = "stored" | "repeated" | "full" | "moved";

/** Approximate limit of the characters that one statement stores. */
const MAX_WEIGHT = 4_000_000;

// One batch at a time: messages that arrive meanwhile make the next batch larger and so cheaper per message. Accounts
// alternate, so that the large messages of one do not delay those of the others by more than one batch.
const BATCHES = {
  maxItems: 256,
  maxConcurrent: 1,
  queueKeyOf: ({ account_id: owner }: AcceptedMessage) => ({ owner, lane: "" }),
  weightOf,
  maxWeight: MAX_WEIGHT,
  // A moving account does not fail the messages of others.
  splitOn: (error: unknown) => movedAccountOf(error) !== null,
};

interface AcceptQuota {
  /** 0: no quota. */
  readonly maxWaiting?: number;
  /** Whether other nodes may accept messages too. */
  readonly hasOthers?: () => boolean;
}

/**
 * `onStored` is called with what each batch has stored and is not being sent already.
 */
export function createAcceptQueue(
  db: Database,
  onStored: (messages: readonly AcceptedMessage[], waiting: readonly AcceptedMessage[]) => void,
  { maxWaiting = 0, hasOthers = () => true }: AcceptQuota = {},
): AcceptQueue {
  const sends = new WaitingSends(db, maxWaiting, hasOthers);
  let offered: SendsAtOnce | null = null;
  const reported = (
    messages: readonly AcceptedMessage[],
    results: readonly Acceptance[],
    begun: ReadonlySet<string> = new Set(),
  ): readonly Acceptance[] => {
    const kept = messages.filter((_, index) => results[index] === "stored");
    onStored(
      kept,
      kept.filter(({ id }) => !begun.has(id)),
    );
    return results;
  };
  const free = createBatcher<AcceptedMessage, Acceptance>({
    ...BATCHES,
    async run(messages) {
      const starts = takeAtOnce(offered, messages);
      const { results, begun } = await storeAndBegin(db, messages, starts);
      return reported(messages, results, begun);
    },
  });
  const counted = createBatcher<AcceptedMessage, Acceptance>({
    ...BATCHES,
    run: async (messages) =>
      reported(messages, await retryOnLostConnection(() => storeCounted(db, messages, maxWaiting))),
  });
  return {
    add: async (message) =>
      (await sends.isFarFromLimit(message.account_id)) ? free.add(message) : counted.add(message),
    offerTo: (to) => {
      offered = to;
    },
    async close() {
      await Promise.all([free.close(), counted.close()]);
    },
  };
}

/** A message that its sender waits for. */
interface Start {
  readonly mark: StartMark;
  settle(job: StartedJob | null): void;
}
const NO_STARTS: ReadonlyMap<AcceptedMessage, Start> = new Map();
type Starts = typeof NO_STARTS;

/** A message behind another one of its chat waits for it, also if that one has to wait itself. */
function takeAtOnce(offered: SendsAtOnce | null, messages: readonly AcceptedMessage[]): Starts {
  if (offered === null) return NO_STARTS;
  const starts = new Map<AcceptedMessage, Start>();
  const chats = new Set<string>();
  for (const message of messages) {
    const start = chats.has(message.chat) ? null : offer(offered, message);
    if (start !== null) starts.set(message, start);
    chats.add(message.chat);
  }
  return starts;
}

function offer(to: SendsAtOnce, message: AcceptedMessage): Start | null {
  const { promise, resolve: settle } = Promise.withResolvers<StartedJob | null>();
  const mark = to.take(message, promise);
  return mark === null ? null : { mark, settle };
}

/** Ends each reservation, whatever happens. */
async function storeAndBegin(db: Queryable, messages: readonly AcceptedMessage[], starts: Starts) {
  const begun = new Map<string, StartedJob>();
  try {
    const results = await retryOnLostConnection(() => store(db, messages, starts, begun));
    return { results, begun: new Set(begun.keys()) };
  } finally {
    for (const [{ id }, start] of starts) start.settle(begun.get(id) ?? null);
  }
}

/**
 * Adds to `begun` the jobs that were stored with their started mark. A message that was given twice, such as an approved
 * proposal that two callers send, is stored once: one statement cannot change a row twice, and would refuse all.
 */
async function store(
  db: Queryable,
  messages: readonly AcceptedMessage[],
  starts: Starts = NO_STARTS,
  begun = new Map<string, StartedJob>(),
): Promise<Acceptance[]> {
  const firsts = new Map<string, AcceptedMessage>();
  for (const message of messages) if (!firsts.has(message.id)) firsts.set(message.id, message);
  const answers = await storeMessages(
    db,
    [...firsts.values()].map((message) => ({ message, start: starts.get(message)?.mark })),
  );
  const refused = new Map<string, Acceptance>();
  for (const answer of answers)
    if (answer.refused !== null) refused.set(answer.refused, answer.why);
    else begun.set(answer.message_id, startedJob(answer));
  return messages.map(({ id }) => refused.get(id) ?? "stored");
}

function startedJob({ id, bytes, chat_id: chatId, quiet_ms: quietMs }: StoredJob): StartedJob {
  return { id, bytes, chatId, quietMs };
}

type StoredJob = Extract<AcceptAnswer, { refused: null }>;

function storeCounted(
  db: Database,
  messages: readonly AcceptedMessage[],
  maxWaiting: number,
): Promise<Acceptance[]> {
  return db.tx(async (tx) => {
    const fitting = await withinQuota(tx, messages, maxWaiting);
    const results = fitting.length === 0 ? [] : await store(tx, fitting);
    const byId = new Map(fitting.map(({ id }, index) => [id, results[index]]));
    return messages.map(({ id }) => byId.get(id) ?? "full");
  });
}
