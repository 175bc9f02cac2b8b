import type { Core } from "../../core/core.ts";
import { LogThrottle } from "../../core/log-throttle.ts";
import type { SendsAtOnce, StartedJob, StartMark } from "../../core/message/accept.ts";
import type { AcceptedMessage } from "../../core/message/accepted-message.ts";
import {
  type ChatJobs,
  type ChatToSend,
  readJobs,
  retryNow,
  type SendJob,
  type WaitingPosition,
  waitingChats,
} from "../../core/message/send-jobs.ts";
import type { Batcher } from "../../platform/queue/batcher.ts";
import { PollLoop } from "../poll-loop.ts";
import { type FreeCapacity, SlotCounts, type UsedSlots } from "../session/capacity.ts";
import type { OwnedChannel } from "../session/held-channel.ts";
import type { Sessions } from "../session/sessions.ts";
import { AtOnce } from "./at-once.ts";
import { JobSender, type JobSenderOptions } from "./job-sender.ts";
import { PacingGate } from "./pacing-gate.ts";
import { ScanPause } from "./scan-pause.ts";
import { type BusyChats, type OwnershipTerm, SendOrder, type Turn } from "./send-order.ts";
import { AT_ONCE, isArrival, type Rest, unstarted } from "./send-steps.ts";
import { createFinishQueue, type Finish, type OnStored } from "./sender-finish.ts";

/**
 * Jobs stored in the meantime are read, marked and stored together: the more sends are under way, the longer a poll
 * waits to collect them, up to this long.
 */
const LONGEST_PAUSE_MS = 10;
const TURNS_PER_PAUSE_MS = 8;
const JOBS_PER_CHAT = 20;
/** Limits of one poll: chats, and bytes of their messages. */
const CHATS_PER_POLL = 256;
const BYTES_PER_POLL = 8_000_000;
/** Chats that a node works on concurrently. A chat whose messenger hangs costs little more than its slot. */
const SLOTS = 2_048;
const SLOTS_PER_CHANNEL = 256;
/** A chat with longer messages takes more slots, one for this many bytes. */
const BYTES_PER_SLOT = 32_000;

/** How often all waiting chats are scanned while nobody watches for due work, and how many per scan. */
const SCAN_INTERVAL_MS = 1_000;
/** How often they are scanned because any messages wait: most of them have been reported, or are those of other nodes. */
const WATCHED_SCAN_INTERVAL_MS = 5_000;
const CHATS_PER_SCAN = 5_000;
/** Rest of a chat for which the database refused an outcome: an immediate retry would hardly differ. */
const UNSTORED_MS = 5_000;
/** Of log entries about the chats of one channel: while nothing can be stored, all of them stop, again and again. */
const REPEATS_AFTER_MS = 600_000;

export interface SenderOptions extends JobSenderOptions {
  readonly sessions: Sessions;
  readonly pacing: boolean;
  /** See `createFinishQueue`. */
  readonly onStored?: OnStored | undefined;
}

/**
 * Sends the jobs of this node's channels: one message of a chat at a time, in order, many chats concurrently. Whoever
 * stores a job notifies the sender of its chat; a scan of all waiting chats of its channels, every five seconds, finds what
 * no notification reported.
 */
export class Sender implements SendsAtOnce {
  readonly #options: SenderOptions;
  readonly #core: Core;
  readonly #jobs: JobSender;
  readonly #finishes: Batcher<Finish, void>;
  readonly #gate: PacingGate;
  readonly #atOnce = new AtOnce();
  readonly #order = new SendOrder(() => this.#loop.now());
  readonly #running = new Map<Promise<void>, OwnershipTerm>();
  readonly #slots = new SlotCounts();
  readonly #logThrottle = new LogThrottle({ maxEntries: 10_000, ttlMs: REPEATS_AFTER_MS });
  readonly #loop: PollLoop;
  readonly #scanLoop: PollLoop;
  readonly #scanPause = new ScanPause();
  #scannedTo: WaitingPosition | null = null;
  #scannedAtMs = Number.NEGATIVE_INFINITY;
  #off: readonly (() => void)[] = [];

  constructor(options: SenderOptions) {
    const { core, lease, pacing } = options;
    this.#options = options;
    this.#core = core;
    const onSooner = (channelId: string): void => {
      this.#order.endRests(channelId);
      this.#loop.now();
    };
    this.#gate = new PacingGate({ core, lease, on: pacing, onSooner });
    this.#jobs = new JobSender(options, this.#gate);
    this.#finishes = createFinishQueue(core, options.onStored);
    const onError = (error: unknown): void =>
      core.log.debug({ err: error }, "waiting messages could not be polled");
    this.#loop = new PollLoop({
      pauseMs: () => Math.min(LONGEST_PAUSE_MS, this.#running.size / TURNS_PER_PAUSE_MS),
      poll: () => this.#poll(),
      onError,
    });
    this.#scanLoop = new PollLoop({
      everyMs: SCAN_INTERVAL_MS,
      isWatched: () => core.signals.isWatched(),
      pauseMs: () => this.#scanPause.ms,
      poll: () => this.#scan(),
      onError,
    });
  }

  start(): void {
    const { signals } = this.#core;
    this.#off = [
      signals.on("sends", (detail) => this.#onNotification(detail)),
      signals.on("replies", (detail) => this.#onReply(detail)),
      signals.onDue("sends", () => this.#onDue()),
    ];
    this.#loop.start();
    this.#scanLoop.start();
    this.#core.accept.offerTo(this);
  }

  /** Takes no new work. Resolves when everything under way has ended and is stored. */
  async stop(): Promise<void> {
    for (const off of this.#off) off();
    this.#core.accept.offerTo(null);
    const stopping = Promise.all([this.#loop.stop(), this.#scanLoop.stop()]);
    this.#jobs.stop();
    await stopping;
    await this.settle();
    await this.#finishes.close();
    this.#order.keep(() => false);
  }

  /** Resolves when no send is under way and every outcome is stored. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.keys());
  }

  /** Like `settle`, for one channel. */
  async settleChannel(channelId: string): Promise<void> {
    const running = [...this.#running].filter(([, term]) => term.channelId === channelId);
    await Promise.allSettled(running.map(([work]) => work));
  }

  /** Others than messages have used a part of the channel's first contacts. */
  countFirstContacts(channelId: string, ids: readonly string[]): void {
    this.#gate.countFirstContacts(channelId, ids);
  }

  /**
   * Polls at once for the jobs of a channel that may have become able to send. Otherwise jobs that failed while it
   * was disconnected, and their chats, would rest for their full delay.
   */
  channelReady(channelId: string): void {
    this.#scanLoop.now();
    this.#loop.now();
    const term = this.#order.restingOf(channelId);
    if (term !== undefined) void this.#endRests(term);
  }

  async #endRests(term: OwnershipTerm): Promise<void> {
    try {
      await retryNow(this.#core.db, term);
    } catch (error) {
      this.#core.log.debug({ err: error }, "waiting messages could not be released");
    }
    this.#order.endRests(term.channelId);
    this.#loop.now();
  }

  #onDue(): void {
    this.#heedPacing();
    const sinceMs = this.#core.clock.monotonicMs() - this.#scannedAtMs;
    if (sinceMs >= WATCHED_SCAN_INTERVAL_MS) this.#scanLoop.now();
  }

  #onNotification(detail: string): void {
    const [channelId = "", ...chats] = detail.split(" ");
    // Notifications may have been lost.
    if (channelId === "") this.#scanLoop.now();
    const owned = this.#options.sessions.get(channelId);
    if (owned === undefined) return;
    this.#order.add(termOf(owned), chats);
    if (chats.length === 0) {
      // Jobs were cancelled: what the other chats wait for has changed.
      this.#gate.forget(channelId);
      this.#order.endRests(channelId);
    }
    this.#loop.now();
  }

  /** A person wrote: a chat that waited as a first contact need not wait any longer. */
  #onReply(detail: string): void {
    const [channelId = "", chat = ""] = detail.split(" ");
    if (this.#order.endRest(channelId, chat)) this.#loop.now();
  }

  /** Sends a message at once when it is stored, if it waits for nothing else. */
  take(message: AcceptedMessage, stored: Promise<StartedJob | null>): StartMark | null {
    const owned = this.#options.sessions.get(message.channel_id);
    if (owned === undefined || this.#loop.isStopping) return null;
    if (!AtOnce.isPossible(message) || this.#gate.mindsFirstContacts(owned)) return null;
    const term = termOf(owned);
    const turn = this.#order.begin(term, message.chat, this.#roomFor(term));
    if (turn === null) return null;
    this.#run(turn, 0, this.#workAtOnce(turn, message, stored));
    return { nodeId: this.#options.lease().nodeId, epoch: term.epoch };
  }

  #roomFor(term: OwnershipTerm): number {
    const free = this.#freeCapacity();
    const room = Math.min(free.total, free.ofAccount(term.accountId), free.ofTransport(term.transport));
    return Math.min(room, this.#capacityOf(term, this.#order.busy(term)));
  }

  #freeCapacity(): FreeCapacity {
    return this.#slots.free(Math.ceil(SLOTS * this.#options.lease().concurrency));
  }

  async #workAtOnce(turn: Turn, message: AcceptedMessage, stored: Promise<StartedJob | null>): Promise<void> {
    const job = await stored;
    if (job !== null) {
      this.#order.hasRead(turn, [job.id]);
      return this.#work(turn, this.#atOnce.begin(message, job));
    }
    this.#atOnce.notSent(message, turn.term.epoch);
    this.#order.end(turn, AT_ONCE);
  }

  /**
   * Finds jobs that no notification reported: those of a former owner, and those whose notification was lost. True:
   * there is more.
   */
  async #scan(): Promise<boolean> {
    const { sessions, lease } = this.#options;
    this.#heedPacing();
    if (sessions.sendable().length === 0) return false;
    const began = this.#core.clock.monotonicMs();
    this.#scannedAtMs = began;
    const options = { after: this.#scannedTo, limit: CHATS_PER_SCAN };
    const rows = await waitingChats(this.#core.db, lease().nodeId, options);
    const last = rows.length === CHATS_PER_SCAN ? (rows.at(-1) ?? null) : null;
    this.#scannedTo = last;
    this.#scanPause.took(this.#core.clock.monotonicMs() - began);
    const isOwn = ({ channelId, epoch }: Pick<OwnershipTerm, "channelId" | "epoch">): boolean =>
      sessions.get(channelId)?.epoch === epoch;
    this.#order.keep(isOwn);
    this.#gate.keep(isOwn);
    for (const row of rows.toSorted((a, b) => a.head - b.head)) {
      const owned = sessions.get(row.channel_id);
      if (owned?.epoch === row.epoch) this.#order.found(termOf(owned), row);
    }
    if (rows.length > 0) this.#loop.now();
    return last !== null;
  }

  /** The limits of the channels whose chats rest may have changed. */
  #heedPacing(): void {
    for (const { channelId } of this.#order.resting()) {
      const owned = this.#options.sessions.get(channelId);
      if (owned !== undefined) this.#gate.heed(owned);
    }
  }

  /** Returns whether there was any work; then there may be more. */
  async #poll(): Promise<boolean> {
    const turns = this.#order.take({
      capacity: this.#freeCapacity(),
      max: CHATS_PER_POLL,
      capacityOf: (term, busy) => this.#capacityOf(term, busy),
    });
    if (turns.length === 0) return false;
    let read: readonly (ChatJobs | null)[];
    try {
      const options = { jobsPerChat: JOBS_PER_CHAT, maxBytes: BYTES_PER_POLL };
      const chats = turns.map((turn) => this.#toRead(turn));
      read = await readJobs(this.#core.db, this.#options.lease().nodeId, chats, options);
    } catch (error) {
      for (const turn of turns) this.#order.end(turn, AT_ONCE);
      throw error;
    }
    for (const [index, turn] of turns.entries()) this.#begin(turn, read[index] ?? null);
    return true;
  }

  /** A turn that has read its jobs has paid for the message that it sends, however long that takes. */
  #capacityOf({ channelId, epoch }: OwnershipTerm, busy: BusyChats): number {
    const owned = this.#options.sessions.get(channelId);
    if (owned?.epoch !== epoch || !owned.canSend()) return 0;
    return Math.max(0, Math.min(SLOTS_PER_CHANNEL - busy.count, this.#gate.available(owned) - busy.unread));
  }

  #toRead({ term: { accountId, channelId, epoch }, chat }: Turn): ChatToSend {
    const owned = this.#options.sessions.get(channelId);
    const mindsFirstContacts = owned !== undefined && this.#gate.mindsFirstContacts(owned);
    return { accountId, channelId, epoch, chat, mindsFirstContacts };
  }

  /** `read`: null for what was left out because of its size. */
  #begin(turn: Turn, read: ChatJobs | null): void {
    if (read === null || read.found === 0 || read.restMs > 0) {
      if (read?.found === 0) this.#gate.forget(turn.term.channelId, turn.chat);
      this.#order.end(turn, read === null ? AT_ONCE : read.found === 0 ? null : { ms: read.restMs });
      return;
    }
    this.#order.hasRead(
      turn,
      read.jobs.map(({ id }) => id),
    );
    this.#run(
      turn,
      read.bytes,
      this.#work(turn, { ...read, jobs: read.jobs.map((job) => this.#atOnce.known(job)) }),
    );
  }

  #run(turn: Turn, bytes: number, work: Promise<void>): void {
    const used: UsedSlots = { ...turn.term, slots: Math.ceil((1 + bytes) / BYTES_PER_SLOT) };
    this.#slots.add(used);
    const running = work
      .catch((error: unknown) => {
        const { channelId } = turn.term;
        const level = this.#logThrottle.shouldLog(channelId) ? "error" : "debug";
        this.#core.log[level]({ err: error, channelId }, "a chat's queue stopped for now");
        this.#order.end(turn, { ms: UNSTORED_MS });
      })
      .finally(() => {
        this.#running.delete(running);
        this.#slots.remove(used);
        this.#loop.now();
      });
    this.#running.set(running, turn.term);
  }

  /** Runs a chat's jobs one after the other until one has to wait, then waits until the outcomes are stored. */
  async #work(turn: Turn, { jobs, found }: ChatJobs): Promise<void> {
    const stored: Promise<void>[] = [];
    let rest: Rest | null = null;
    let hasMet = false;
    for (const [index, job] of jobs.entries()) {
      const owned = this.#sendable(turn.term);
      if (owned === null) {
        rest = AT_ONCE;
        stored.push(...this.#unmark(jobs.slice(index), turn));
        break;
      }
      const step = await this.#jobs.process(owned, hasMet ? { ...job, isFirstContact: false } : job);
      if (step.finish !== undefined) stored.push(this.#finish(step.finish));
      if (step.kind === "rest") {
        rest = step;
        const notStarted = jobs.slice(step.finish === undefined ? index : index + 1);
        stored.push(...this.#unmark(notStarted, turn), ...this.#delay(job, step));
        break;
      }
      hasMet ||= isArrival(step.finish);
    }
    // A job whose outcome is not stored still exists.
    const failure = (await Promise.allSettled(stored)).find(({ status }) => status === "rejected");
    if (failure?.status === "rejected") throw failure.reason;
    const isMore = jobs.length < found || found === JOBS_PER_CHAT;
    this.#order.end(turn, rest === null ? (isMore ? AT_ONCE : null) : { ms: restOf(rest) });
  }

  #sendable({ channelId, epoch }: OwnershipTerm): OwnedChannel | null {
    const owned = this.#options.sessions.get(channelId);
    return !this.#loop.isStopping && owned?.epoch === epoch && owned.canSend() ? owned : null;
  }

  /** A mark that no request followed would later count as a send with unknown outcome. */
  #unmark(jobs: readonly SendJob[], { term: { epoch } }: Turn): Promise<void>[] {
    const marked = jobs.filter(({ isMarked }) => isMarked === true);
    return marked.map((job) => this.#finish(unstarted(job, { epoch, ms: null })));
  }

  /** Stores what the chat waits for, so that it is visible. A retry stores it with the attempt. */
  #delay(job: SendJob, { by, ms }: Rest): Promise<void>[] {
    if (by === undefined || by === "retry") return [];
    return [this.#finish({ kind: "hold", job, by, ms })];
  }

  /** No one awaits this before the chat's other jobs are done, so a rejection must not count as unhandled. */
  #finish(finish: Finish): Promise<void> {
    const stored = this.#finishes.add(finish);
    stored.catch(() => undefined);
    return stored;
  }
}

function termOf({ accountId, channelId, epoch, transport }: OwnedChannel): OwnershipTerm {
  return { accountId, channelId, epoch, transport: transport.definition.id };
}

function restOf({ ms, recheckMs = ms }: Rest): number {
  return Math.min(ms, recheckMs);
}
