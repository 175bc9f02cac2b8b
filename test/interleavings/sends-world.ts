import { expect } from "vitest";
import type { Core } from "../../src/core/core.ts";
import {
  type AcceptQueue,
  createAcceptQueue,
  type StartedJob,
  type StartMark,
} from "../../src/core/message/accept.ts";
import type { AcceptedMessage } from "../../src/core/message/accepted-message.ts";
import { applyMissedReports } from "../../src/core/message/early-reports.ts";
import { recordReports } from "../../src/core/message/record.ts";
import { readJobs, type SendJob, waitingChats } from "../../src/core/message/send-jobs.ts";
import { PrimaryMemory } from "../../src/core/primary-memory.ts";
import type { OutboundMessage } from "../../src/core/transport/connector.ts";
import type { Resend } from "../../src/core/transport/definition.ts";
import { TransportError } from "../../src/core/transport/errors.ts";
import { newId } from "../../src/platform/ids.ts";
import { MediaProcesses } from "../../src/platform/media/media-processes.ts";
import { AtOnce } from "../../src/work/send/at-once.ts";
import { JobSender } from "../../src/work/send/job-sender.ts";
import { PacingGate } from "../../src/work/send/pacing-gate.ts";
import { SendOrder, type Turn } from "../../src/work/send/send-order.ts";
import { type Step, unstarted } from "../../src/work/send/send-steps.ts";
import { createFinishQueue } from "../../src/work/send/sender-finish.ts";
import { freeCapacity } from "../../src/work/session/capacity.ts";
import type { OwnedChannel } from "../../src/work/session/held-channel.ts";
import { TimeLimits } from "../../src/work/time-limit.ts";
import { takeKinds } from "../kit/cursors.ts";
import type { Actor, Steps } from "./explorer.ts";

const JOBS_PER_CHAT = 20;

/** The part of a node that sends. */
export class SendingNode {
  readonly id = newId();
  readonly order = new SendOrder(() => undefined);
  readonly atOnce = new AtOnce();
  epoch = 0;
  /** Whether its lease is valid by its own clock. */
  hasLease = true;
  /** The messenger refuses its sends for the moment. */
  isRefused = false;
}

/** As `sendMessage`: a chat that another request has created meanwhile is found by the next attempt. */
async function untilAccepted(queue: AcceptQueue, message: AcceptedMessage): Promise<void> {
  for (let attempt = 1; (await queue.add(message)) === "moved"; attempt++)
    expect(attempt, "attempts to accept a message").toBeLessThan(5);
}

/** An account with a channel, its accepted messages, and what its messenger received. */
export class SendsWorld {
  readonly core: Core;
  readonly accountId: number;
  readonly channelId = newId();
  readonly chat = newId();
  readonly resend: Resend;
  readonly nodes: SendingNode[] = [];
  /** Names of messages, in the order in which the messenger received them. */
  readonly arrived: string[] = [];
  /** For each accepted message, the messages that its client knew to be accepted before it sent the request. */
  readonly #before = new Map<string, readonly string[]>();
  readonly #accepted: string[] = [];
  /** Ids of messages by their text. */
  readonly #ids = new Map<string, string>();
  /** Texts of messages that the messenger reported as delivered. */
  readonly #reported = new Set<string>();

  private constructor(core: Core, accountId: number, resend: Resend) {
    this.core = core;
    this.accountId = accountId;
    this.resend = resend;
  }

  static async build(core: Core, accountId: number, resend: Resend = "unsafe"): Promise<SendsWorld> {
    const world = new SendsWorld(core, accountId, resend);
    await core.db.query("insert into accounts (id, name) values ($1, 'Test')", [accountId]);
    await core.db.query(
      `insert into channels (account_id, id, transport, status, credentials)
       values ($1, $2, 'telegram', 'active', '')`,
      [accountId, world.channelId],
    );
    const receiver = newId();
    await core.db.query(
      `insert into webhook_endpoints (account_id, id, version, url, kinds, secret)
       values ($1, $2, 'v3', 'http://x/', '{}', '')`,
      [accountId, receiver],
    );
    await takeKinds(core.db, receiver, ["statuses"]);
    return world;
  }

  /**
   * A node that owns the channel from now on. The previous owner has no lease any more, but may not have noticed yet.
   */
  async takeOver(db: Pick<Steps, "query"> = this.core.db, { isNoticed = true } = {}): Promise<SendingNode> {
    for (const other of this.nodes) other.hasLease = !isNoticed;
    const node = new SendingNode();
    const [row] = await db.query<{ epoch: number }>(
      "update channels set owner = $2, epoch = epoch + 1 where id = $1 returning epoch",
      [this.channelId, node.id],
    );
    node.epoch = row?.epoch ?? 0;
    this.nodes.push(node);
    return node;
  }

  /**
   * Accepts a message, and notifies the nodes unless the notification is lost. `late`: in a transaction that commits
   * later.
   */
  accept(text: string, { isTold = true, late = false, chat = this.chat, id = newId() } = {}): Actor {
    return async (steps) => {
      this.#before.set(text, [...this.#accepted]);
      const store = (db: Pick<Steps, "query">) =>
        untilAccepted(
          createAcceptQueue(db as never, () => undefined),
          this.#message(text, chat, id),
        );
      await (late ? steps.tx(store) : store(steps));
      this.#accepted.push(text);
      for (const node of isTold ? this.nodes : [])
        if (node.epoch > 0) node.order.add(this.#term(node), [chat]);
    };
  }

  /**
   * The owner of the channel accepts a message and sends it immediately if no job of its chat is known. It dies
   * before its statement of that number, counted from 0, or loses its connection there, if it goes on. `id`: of the
   * message, if the client repeats its request.
   */
  acceptAndSend(
    text: string,
    node: SendingNode,
    { diesAt = Number.POSITIVE_INFINITY, id = newId() } = {},
  ): Actor {
    return async (steps) => {
      this.#before.set(text, [...this.#accepted]);
      const db = mortal(steps, diesAt);
      const sending: Promise<void>[] = [];
      const queue = createAcceptQueue(db as never, (_, waiting) => {
        if (waiting.length > 0) node.order.add(this.#term(node), [this.chat]);
      });
      queue.offerTo({ take: (message, stored) => this.#takeAtOnce(db, node, { message, stored }, sending) });
      const accepted = untilAccepted(queue, this.#message(text, this.chat, id)).then(
        () => void this.#accepted.push(text),
      );
      await Promise.all([accepted, accepted.finally(() => Promise.all(sending))]).catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
      });
    };
  }

  /**
   * A failover loses the outcome of a message that the node sent at once: its job is there again, with the mark that it
   * was stored with. The node begins another term, and keeps what it remembers.
   */
  async loseOutcome(text: string, node: SendingNode): Promise<void> {
    const { db } = this.core;
    const lost = await db.query<{ id: string }>(
      `update messages set status = 'queued', status_at = null, external_id = null
       where channel_id = $1 and text = $2 and status = 'sent' returning id`,
      [this.channelId, text],
    );
    expect(lost, `sent messages ${text}`).toHaveLength(1);
    await db.query("delete from events where account_id = $1 and subject = $2", [
      this.accountId,
      lost[0]?.id,
    ]);
    await db.query(
      `insert into send_jobs (account_id, channel_id, chat, message_id, kind, started_epoch, attempts, unsure_since)
       values ($1, $2, $3, $4, 'send', $5, 1, now())`,
      [this.accountId, this.channelId, this.chat, lost[0]?.id, node.epoch],
    );
    node.epoch++;
    await db.query("update channels set epoch = $2 where id = $1", [this.channelId, node.epoch]);
  }

  /**
   * A failover loses all that happened since the message was accepted. The promoted server does not know what was sent,
   * so that its job has the mark of `noticeTimeline`.
   */
  loseAll(text: string, jobId: number): Actor {
    return (steps) =>
      steps.tx(async (tx) => {
        const messageId = this.#ids.get(text);
        await tx.query(
          `update messages set status = 'queued', status_at = null, external_id = null, error = null
           where account_id = $1 and id = $2`,
          [this.accountId, messageId],
        );
        await tx.query("delete from events where account_id = $1 and subject = $2", [
          this.accountId,
          messageId,
        ]);
        await tx.query(
          `insert into send_jobs (account_id, channel_id, chat, id, message_id, kind, started_epoch, unsure_since)
           overriding system value values ($1, $2, $3, $4, $5, 'send', 0, now())
           on conflict (account_id, channel_id, chat, id) do update
             set started_epoch = 0, unsure_since = now(), attempts = 0, not_before = null, held_by = null`,
          [this.accountId, this.channelId, this.chat, jobId, messageId],
        );
      });
  }

  #takeAtOnce(
    db: Steps,
    node: SendingNode,
    { message, stored }: { message: AcceptedMessage; stored: Promise<StartedJob | null> },
    sending: Promise<void>[],
  ): StartMark | null {
    const turn = node.hasLease
      ? node.order.begin(this.#term(node), message.chat, Number.POSITIVE_INFINITY)
      : null;
    if (turn === null) return null;
    sending.push(stored.then((job) => this.#sendAtOnce(db, node, { turn, message, job })));
    return { nodeId: node.id, epoch: node.epoch };
  }

  async #sendAtOnce(
    db: Steps,
    node: SendingNode,
    { turn, message, job }: { turn: Turn; message: AcceptedMessage; job: StartedJob | null },
  ): Promise<void> {
    if (job === null) {
      node.atOnce.notSent(message, node.epoch);
      node.order.end(turn, { ms: 0 });
      return;
    }
    const core: Core = { ...this.core, db: awaited(db) as never };
    const finishes = createFinishQueue(core);
    const sender = this.#sender(core, node, true);
    for (const read of node.atOnce.begin(message, job).jobs) {
      const step: Step = node.hasLease
        ? await sender.process(this.#owned(node), read)
        : { kind: "rest", ms: 0 };
      await finishes.add(step.finish ?? unstarted(read, { epoch: node.epoch, ms: null }));
      node.order.end(turn, step.kind === "rest" ? { ms: 0 } : null);
    }
  }

  #message(text: string, chat: string, id = newId()): AcceptedMessage {
    this.#ids.set(text, id);
    return {
      account_id: this.accountId,
      id,
      channel_id: this.channelId,
      chat,
      chat_type: "telegram",
      chat_id: chat,
      chat_name: "Customer",
      new_chat: true,
      type: "text",
      text,
      content: {},
      quoted_id: null,
      author_id: null,
      author_name: null,
      crm_message_id: null,
    };
  }

  /** The node sends the jobs that it knows. It dies before its statement of that number, counted from 0. */
  work(node: SendingNode, { diesAt = Number.POSITIVE_INFINITY, marks = true } = {}): Actor {
    return async (steps) => {
      const db = mortal(steps, diesAt);
      await this.#work(db, node, { marks }).catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
      });
    };
  }

  async #work(db: Steps, node: SendingNode, { marks }: { marks: boolean }): Promise<void> {
    const capacity = freeCapacity([], 100);
    // An actor starts with its first statement.
    await db.query("select 'look'");
    const turns = node.order.take({ capacity, max: 10, capacityOf: () => 10 });
    if (turns.length === 0) return;
    const core: Core = { ...this.core, db: awaited(db) as never };
    const chats = turns.map(({ term, chat }) => ({ ...term, chat, mindsFirstContacts: false }));
    const limits = { jobsPerChat: JOBS_PER_CHAT, maxBytes: 1_000_000 };
    const read = await readJobs(db, node.id, chats, limits).catch((error: unknown) => {
      for (const turn of turns) node.order.end(turn, { ms: 0 });
      throw error;
    });
    const sender = this.#sender(core, node, marks);
    const finishes = createFinishQueue(core);
    for (const [index, turn] of turns.entries()) {
      const { jobs: asRead, found } = read[index] ?? { jobs: [] as SendJob[], found: 0 };
      const jobs = asRead.map((job) => node.atOnce.known(job));
      node.order.hasRead(
        turn,
        jobs.map(({ id }) => id),
      );
      let isMore = found === JOBS_PER_CHAT;
      const finished: NonNullable<Step["finish"]>[] = [];
      for (const job of jobs) {
        if (!node.hasLease) break;
        const step = await sender.process(this.#owned(node), job);
        if (step.finish !== undefined) finished.push(step.finish);
        isMore ||= step.kind === "rest";
        if (step.kind === "rest") break;
      }
      // The messenger may receive several messages of a chat before their outcomes are stored.
      for (const finish of finished) await finishes.add(finish);
      node.order.end(turn, isMore || !node.hasLease ? { ms: 0 } : null);
    }
  }

  #sender(core: Core, node: SendingNode, marks: boolean): JobSender {
    const lease = () => ({
      nodeId: node.id,
      isValid: () => node.hasLease,
      concurrency: 1,
      primary: new PrimaryMemory(),
      release: async () => undefined,
    });
    const gate = new PacingGate({ core, lease, on: false, onSooner: () => undefined });
    const unmarked = {
      ...core,
      db: { ...core.db, query: (...of: Parameters<Steps["query"]>) => skipStart(core, of) },
    };
    const options = {
      core: marks ? core : (unmarked as never),
      lease,
      temporaryDirectory: "",
      media: new MediaProcesses(),
    };
    return new JobSender({ ...options, dispatcher: undefined as never }, gate);
  }

  #owned(node: SendingNode): OwnedChannel {
    const telegram = this.core.transports.get("telegram");
    if (telegram === undefined) throw new Error("There is no transport telegram");
    const capabilities = { ...telegram.definition.capabilities, resend: this.resend };
    return {
      ...this.#term(node),
      transport: { ...telegram, definition: { ...telegram.definition, capabilities } },
      session: {
        send: async ({ content }: OutboundMessage) => {
          if (node.isRefused) throw new TransportError("GENERAL_ERROR", "Not now", { retry: "later" });
          const text = content.type === "text" ? content.text : content.type;
          this.arrived.push(text);
          return { externalId: `external id of ${text}`, chatId: this.chat, sentAt: new Date() };
        },
      } as never,
      link: { signal: new AbortController().signal, log: () => undefined } as never,
      limits: new TimeLimits(new AbortController().signal),
      pacing: { changes: {}, activeSince: 0, cooldownUntil: 0, pausedUntil: 0, stopped: false },
      canSend: () => node.hasLease,
    };
  }

  #term(node: SendingNode): Turn["term"] {
    const { accountId, channelId } = this;
    return { accountId, channelId, epoch: node.epoch, transport: "telegram" };
  }

  /**
   * If the messenger has the message, it reports its delivery. Then the node applies reports that arrived before the
   * response to their send, unless it dies in between. `names`: the messenger returns our id of the message.
   */
  report(text: string, { appliesEarly = true, names = false } = {}): Actor {
    return async (steps) => {
      // An actor starts with its first statement.
      await steps.query("select 'report'");
      if (!this.arrived.includes(text)) return;
      this.#reported.add(text);
      const messageId = names ? this.#ids.get(text) : undefined;
      const ref = {
        chatType: "telegram" as const,
        chatId: this.chat,
        externalId: `external id of ${text}`,
        ...(messageId === undefined ? {} : { messageId }),
      };
      const event = { kind: "receipt", ref, status: "delivered", at: new Date() } as const;
      const { accountId, channelId } = this;
      await recordReports({ ...this.core, db: awaited(steps) as never }, [{ accountId, channelId, event }]);
      if (appliesEarly) await applyMissedReports({ ...this.core, db: steps as never });
    };
  }

  /** What the node does once a second. */
  lookOver(node: SendingNode): Actor {
    return async (steps) => {
      const rows = await waitingChats(steps, node.id, { after: null, limit: 100 });
      for (const row of rows.filter(({ channel_id: id }) => id === this.channelId))
        node.order.found(this.#term(node), row);
    };
  }

  /** Time passes: rests end, and the node polls all waiting jobs until none is left. */
  async finish(node: SendingNode): Promise<void> {
    for (let rounds = 0; ; rounds++) {
      node.order.endRests(this.channelId);
      await this.lookOver(node)(this.core.db as never);
      await this.work(node)(this.core.db as never);
      const [left] = await this.core.db.query("select 1 from send_jobs where channel_id = $1", [
        this.channelId,
      ]);
      if (left === undefined) return applyMissedReports(this.core);
      expect(rounds, "rounds until everything is sent").toBeLessThan(10);
    }
  }

  /** The result of each message, by its text: its status, or the code of its error. */
  async outcomes(): Promise<Record<string, string>> {
    const rows = await this.core.db.query<{ text: string; outcome: string }>(
      `select text, coalesce(error ->> 'code', status) as outcome from messages where channel_id = $1 order by text`,
      [this.channelId],
    );
    return Object.fromEntries(rows.map(({ text, outcome }) => [text, outcome]));
  }

  /** The invariants at the end of every run. */
  async check({ mayBeUnknown = false, mayBeDeleted = false } = {}): Promise<void> {
    const outcomes = await this.outcomes();
    for (const [text, outcome] of Object.entries(outcomes)) this.#checkOutcome(text, outcome, mayBeUnknown);
    for (const text of this.#accepted) {
      const copies = this.#copiesOf(text);
      if (this.resend === "unsafe") expect(copies, `${text} arrived`).toBeLessThan(2);
      const statuses = await this.statusesOf(text);
      const isReported = this.#reported.has(text) && outcomes[text] !== "UNKNOWN_ERROR";
      const last = isReported ? ["sent", "delivered"] : [statuses[0]];
      if (mayBeDeleted) expect(statuses.length, `webhooks tell of ${text}`).toBeLessThan(3);
      else {
        expect(Object.keys(outcomes)).toContain(text);
        expect(statuses, `webhooks tell of ${text}`).toEqual(last);
        expect(outcomes[text], `${text} ends as webhooks tell`).toBe(statuses.at(-1));
      }
    }
    const told = await this.#toldFirst();
    for (const [text, before] of this.#before)
      for (const earlier of before)
        if (told.includes(text) && told.includes(earlier) && outcomes[text] !== "MESSAGE_CANCELLED")
          expect(
            told.indexOf(earlier),
            `the outcome of ${earlier} is told before that of ${text}`,
          ).toBeLessThan(told.indexOf(text));
    for (const [text, before] of this.#before)
      for (const earlier of before)
        if (this.#copiesOf(text) > 0 && this.#copiesOf(earlier) > 0)
          expect(this.arrived.indexOf(earlier), `${earlier} before ${text}`).toBeLessThan(
            this.arrived.indexOf(text),
          );
  }

  /** Texts of the messages in the order in which webhooks first reported a status. */
  async #toldFirst(): Promise<string[]> {
    const rows = await this.core.db.query<{ subject: string }>(
      "select subject from events where account_id = $1 group by subject order by min(id)",
      [this.accountId],
    );
    const texts = new Map([...this.#ids].map(([text, id]) => [id, text]));
    return rows.flatMap(({ subject }) => texts.get(subject) ?? []);
  }

  #checkOutcome(text: string, outcome: string, mayBeUnknown: boolean): void {
    if (outcome === "sent" || outcome === "delivered")
      expect(this.#copiesOf(text), `${text} is told to be ${outcome}`).toBeGreaterThan(0);
    else if (outcome === "MESSAGE_CANCELLED") expect(this.#copiesOf(text), `${text} was cancelled`).toBe(0);
    else expect(mayBeUnknown ? "UNKNOWN_ERROR" : "sent").toBe(outcome);
  }

  #copiesOf(text: string): number {
    return this.arrived.filter((arrived) => arrived === text).length;
  }

  /** What webhooks report about a message, in order: its statuses, or the code of its error. */
  async statusesOf(text: string): Promise<string[]> {
    const rows = await this.core.db.query<{ status: string }>(
      `select coalesce(body::jsonb #>> '{error,error}', body::jsonb ->> 'status') as status
       from events where account_id = $1 and subject = $2 order by id`,
      [this.accountId, this.#ids.get(text)],
    );
    return rows.map(({ status }) => status);
  }
}

/** Excludes what a node does after an actor's last statement. */
function awaited(steps: Steps): Steps {
  const query: Steps["query"] = (statement, values) =>
    typeof statement !== "string" && statement.name === "early_reports_find"
      ? (Promise.resolve([]) as never)
      : (steps.query(statement, values) as never);
  return { ...steps, query };
}

class Died extends Error {}

function mortal(steps: Steps, diesAt: number): Steps {
  let asked = 0;
  const query: Steps["query"] = (...of) => {
    if (asked++ >= diesAt) return Promise.reject(new Died());
    return steps.query(...of) as never;
  };
  const tx: Steps["tx"] = (work) =>
    steps.tx((tx) =>
      work({
        ...tx,
        query: (...of) => (asked++ >= diesAt ? Promise.reject(new Died()) : tx.query(...of)) as never,
      }),
    );
  return { query, tx, bulk: (_size, work) => tx(work) };
}

/** Sends without checking whether the job may be sent. */
async function skipStart(core: Core, [statement, values]: Parameters<Steps["query"]>): Promise<never> {
  if (typeof statement === "string" || statement.name !== "send_jobs_start")
    return core.db.query(statement, values) as never;
  const starts = JSON.parse(String(values?.[0])) as readonly { id: number }[];
  return starts.map(({ id }) => ({ id })) as never;
}
