import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import type { Core } from "../core/core.ts";
import type { MessageError } from "../core/event/facts.ts";
import type { Attachment } from "../core/message/content.ts";
import { findFileFault, precheck } from "../core/message/precheck.ts";
import {
  type ChannelDemand,
  type DueLane,
  dueLanes,
  type JobStart,
  type LaneRelease,
  type SendJob,
  startJobs,
} from "../core/message/send-lanes.ts";
import { repeatUntilStored } from "../core/repeat.ts";
import { findTemplate } from "../core/template/templates.ts";
import type { SentMessage } from "../core/transport/connector.ts";
import type { ChatType } from "../core/transport/definition.ts";
import { TransportError } from "../core/transport/errors.ts";
import type { MessageRef } from "../core/transport/events.ts";
import type { Template } from "../core/transport/template.ts";
import { type Batcher, createBatcher } from "../platform/batcher.ts";
import { soundDate } from "../platform/foreign-date.ts";
import { type PreparedFile, prepareAttachment } from "./attachments.ts";
import { FetchShares } from "./fetch-shares.ts";
import { RELOOK_MS } from "./first-contact-line.ts";
import type { Lease } from "./lease.ts";
import { messageOf, type Parts } from "./outbound-message.ts";
import type { HeldBy } from "./pacing.ts";
import { PacingGate } from "./pacing-gate.ts";
import { type Place, type Room, roomBeside } from "./places.ts";
import { Pump } from "./pump.ts";
import { SeenLanes } from "./seen-lanes.ts";
import { afterFailure, mustNotRepeat, type NextStep } from "./send-policy.ts";
import { createFinishQueue, type Finish } from "./sender-finish.ts";
import type { OwnedChannel, Sessions } from "./sessions.ts";
import { withTimeLimit } from "./time-limit.ts";

/** From one look to the next at least: what becomes due meanwhile is found, marked and stored together. */
const LOOK_PAUSE_MS = 10;
const JOBS_PER_LANE = 20;
/** Chats that a node works on at a time. Those whose messenger hangs cost little but their place. */
const PLACES = 2_048;
const MAX_LANES_PER_CHANNEL = 64;
const SEND_TIMEOUT_MS = 60_000;

export interface SenderOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  readonly sessions: Sessions;
  readonly pacing: boolean;
  /** Guarded way to attachments' addresses. */
  readonly dispatcher: Dispatcher;
  readonly temporaryDirectory: string;
  onSend?(transport: string, result: string, durationMs: number): void;
}

/**
 * Sends what is due in the lanes of this node's channels: one message of a chat at a time, in order, many chats at
 * once. A job is marked as started before its request leaves, so that no crash can make it leave twice.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #core: Core;
  readonly #starts: Batcher<JobStart, boolean>;
  readonly #finishes: Batcher<Finish, void>;
  readonly #gate: PacingGate;
  readonly #running = new Map<Promise<void>, Running>();
  readonly #seen = new SeenLanes();
  readonly #fetches = new FetchShares();
  readonly #pump: Pump;
  /** Cuts pauses short. */
  readonly #stopped = new AbortController();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#starts = createBatcher<JobStart, boolean>({
      maxItems: 256,
      maxConcurrent: 1,
      run: async (jobs) => {
        const { nodeId } = options.lease();
        const started = await repeatUntilStored(
          () => startJobs(this.#core.db, nodeId, jobs),
          () => !options.lease().isValid(),
        );
        return jobs.map(({ id }) => started.has(id));
      },
    });
    this.#finishes = createFinishQueue(this.#core, { onMore: () => this.pump() });
    this.#gate = new PacingGate({
      core: this.#core,
      lease: options.lease,
      on: options.pacing,
      onSooner: () => this.pump(),
    });
    this.#pump = new Pump({
      wakes: this.#core.wakes,
      topic: "sends",
      pauseMs: LOOK_PAUSE_MS,
      look: () => this.#look(),
      onError: (error) => this.#core.log.debug({ err: error }, "due messages could not be looked up"),
    });
  }

  start(): void {
    this.#pump.start();
  }

  /** Takes nothing new and resolves when all under way has ended and is stored. */
  async stop(): Promise<void> {
    const stopping = this.#pump.stop();
    this.#stopped.abort();
    await stopping;
    await this.settle();
    await this.#finishes.close();
  }

  /** Resolves when no send is under way and every outcome is stored. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.keys());
  }

  /** The same for one channel. */
  async settleChannel(channelId: string): Promise<void> {
    await Promise.allSettled(this.#runningOf(channelId));
  }

  #runningOf(channelId: string): Promise<void>[] {
    return [...this.#running].filter(([, lane]) => lane.channelId === channelId).map(([running]) => running);
  }

  /** Looks for due lanes now; calls during a look make it look once more. */
  pump(): void {
    this.#pump.now();
  }

  /** Whether there was anything: then there may be more. */
  async #look(): Promise<boolean> {
    const room = roomBeside(this.#running.values(), PLACES);
    const demands = room.total === 0 ? [] : this.#demands(room);
    if (demands.length === 0) return false;
    const options = { jobsPerLane: JOBS_PER_LANE, maxLanes: room.total };
    const lanes = await dueLanes(this.#core.db, this.#options.lease().nodeId, demands, options);
    for (const lane of lanes) {
      this.#seen.add(lane);
      this.#run(lane);
    }
    return lanes.length > 0;
  }

  /** Every channel that may send: how much each has to send is not known yet, so none may shut out another. */
  #demands(room: Room): ChannelDemand[] {
    const demands: ChannelDemand[] = [];
    this.#seen.forgetNowAndThen(this.#core.clock.monotonicMs());
    const busyLanes = Map.groupBy(this.#running.values(), ({ channelId }) => channelId);
    for (const owned of this.#options.sessions.sendable()) {
      const inHand = busyLanes.get(owned.channelId)?.map(({ chat }) => chat) ?? [];
      const busy = inHand.length;
      const { channelId, epoch } = owned;
      const lanesOfAccount = room.ofAccount(owned.accountId);
      const lanesOfTransport = room.ofTransport(owned.transport.definition.id);
      const available = this.#gate.available(owned) - busy;
      const lanes = Math.min(MAX_LANES_PER_CHANNEL - busy, available, lanesOfAccount, lanesOfTransport);
      if (lanes <= 0) continue;
      demands.push({
        channelId,
        epoch,
        lanes,
        mindsFirstContacts: this.#gate.mindsFirstContacts(owned),
        dueAfter: this.#seen.before(owned),
        inHand,
        lanesOfAccount,
        lanesOfTransport,
      });
    }
    return demands;
  }

  #run(lane: DueLane): void {
    const running = this.#work(lane).then(
      () => {
        this.#running.delete(running);
        this.pump();
      },
      (error: unknown) => {
        this.#core.log.error({ err: error, channelId: lane.channelId }, "a chat's queue stopped for now");
        this.#running.delete(running);
      },
    );
    const { chat, channelId } = lane;
    const owned = this.#options.sessions.get(channelId);
    const [accountId, transport] = [owned?.accountId ?? 0, owned?.transport.definition.id ?? ""];
    this.#running.set(running, { chat, channelId, accountId, transport });
  }

  /** Works a lane's jobs one after the other, until one has to wait. */
  async #work({ jobs, found, dueSince: _, ...lane }: DueLane): Promise<void> {
    const stored: Promise<void>[] = [];
    let rest: Rest | null = null;
    let hasMet = false;
    for (const job of jobs) {
      const owned = this.#options.sessions.get(lane.channelId);
      if (this.#pump.isStopping || owned === undefined || owned.epoch !== lane.epoch || !owned.canSend()) {
        rest = AT_ONCE;
        break;
      }
      const step = await this.#process(owned, hasMet ? { ...job, isFirstContact: false } : job);
      if (step.finish !== undefined) stored.push(this.#finish(step.finish));
      if (step.kind === "rest") {
        rest = step;
        break;
      }
      hasMet ||= isArrival(step.finish);
    }
    const exhausted = rest === null && jobs.length === found && found < JOBS_PER_LANE;
    stored.push(this.#finish({ kind: "release", release: { ...lane, exhausted, ...releaseAfter(rest) } }));
    try {
      await Promise.all(stored);
    } catch (error) {
      // The job whose outcome was not stored is still there, behind a lane that may be left as empty by now.
      await Promise.allSettled(stored);
      const release = { ...lane, exhausted: false, delayMs: UNSTORED_MS, held: null };
      await this.#finish({ kind: "release", release });
      throw error;
    }
  }

  /** Nobody looks at it before the lane's other jobs are done, so a failure must not count as overlooked. */
  #finish(finish: Finish): Promise<void> {
    const stored = this.#finishes.add(finish);
    stored.catch(() => undefined);
    return stored;
  }

  async #process(owned: OwnedChannel, job: SendJob): Promise<Step> {
    const fetched = attachmentOf(job) === undefined ? NOTHING : this.#fetches.take(job.accountId);
    if (fetched === null) return { kind: "rest", ms: FETCH_TURN_MS };
    try {
      return await (job.kind === "send"
        ? this.#send(owned, job, fetched)
        : this.#change(owned, job, fetched));
    } catch (error) {
      // Before the request left, as what comes later is caught: such as a disk without room for the file.
      const { channelId, epoch } = owned;
      this.#core.log.error({ err: error, channelId, jobId: job.id }, "a message could not be prepared");
      return again(job, epoch);
    } finally {
      fetched();
    }
  }

  /** `fetched` tells that the file is here. */
  async #send(owned: OwnedChannel, job: SendJob, fetched: () => void): Promise<Step> {
    const { definition } = owned.transport;
    if (job.status !== "queued") return done({ kind: "drop", job });
    if (mustNotRepeat(definition.capabilities.resend, job)) return failed(job, UNKNOWN_OUTCOME);
    const fault = precheck(definition, job);
    if (fault !== null) return failed(job, fault);
    const wait = await this.#gate.pass(owned, job);
    if (wait === "unknown") return HINDERED;
    if (wait !== null) return { kind: "rest", ms: wait.ms, by: wait.by };
    const template = await this.#templateOf(job);
    if (template === null) return failed(job, NO_TEMPLATE);
    const file = await this.#fileOf(owned, job);
    fetched();
    if (file !== null && "step" in file) return file.step;
    try {
      return await this.#deliver(owned, job, { file: file?.prepared, template });
    } finally {
      await file?.prepared.discard();
    }
  }

  /** As it is now: it may have changed since the message was accepted. Null when it is gone. */
  async #templateOf({ accountId, content }: SendJob): Promise<Template | null | undefined> {
    if (content.template === undefined) return undefined;
    return findTemplate(this.#core.db, { accountId }, content.template.id);
  }

  async #deliver(owned: OwnedChannel, job: SendJob, parts: Parts): Promise<Step> {
    const hindrance = await this.#start(owned, job);
    if (hindrance !== null) return hindrance;
    const began = this.#core.clock.monotonicMs();
    try {
      const message = messageOf(job, parts);
      const sent = await withTimeLimit(SEND_TIMEOUT_MS, owned.link.signal, (signal) =>
        owned.session.send(message, signal),
      );
      this.#report(owned, "sent", began);
      return done({ kind: "outcome", outcome: outcomeOf(job, sent) });
    } catch (error) {
      const next = afterFailure(error, {
        idempotent: owned.transport.definition.capabilities.resend !== "unsafe",
        attempts: job.attempts + 1,
      });
      this.#report(owned, next.kind === "fail" ? next.error.code : "again", began);
      return await this.#next(owned, job, next, error);
    }
  }

  async #next(owned: OwnedChannel, job: SendJob, next: NextStep, cause: unknown): Promise<Step> {
    if (!(cause instanceof TransportError))
      this.#core.log.error(
        { err: cause, channelId: owned.channelId },
        "a connector failed in a way it must not",
      );
    else if (cause.hold !== undefined) await this.#gate.hold(owned, cause.hold);
    if (next.kind === "fail") return job.kind === "send" ? failed(job, next.error) : changed(job, next.error);
    if (next.pause !== undefined) await this.#gate.pause(owned, job, next.pause, next.afterMs);
    const mayHaveArrived = cause instanceof TransportError && cause.retry === "unknown";
    const finish = unstarted(job, owned.epoch, { mayHaveArrived });
    return { kind: "rest", ms: next.afterMs, by: "retry", finish };
  }

  async #change(owned: OwnedChannel, job: SendJob, fetched: () => void): Promise<Step> {
    if (job.externalId === null)
      return changed(job, { code: "GENERAL_ERROR", description: "The message has not been sent" });
    const ref: MessageRef = {
      chatType: job.chatType as ChatType,
      chatId: job.chatId,
      externalId: job.externalId,
    };
    const file = await this.#fileOf(owned, job);
    fetched();
    if (file !== null && "step" in file) return file.step;
    try {
      const hindrance = await this.#start(owned, job);
      if (hindrance !== null) return hindrance;
      const change = file === null ? { text: job.change?.text ?? "" } : { file: file.prepared.file };
      await withTimeLimit(SEND_TIMEOUT_MS, owned.link.signal, async (signal) =>
        job.kind === "remove"
          ? owned.session.remove?.(ref, signal)
          : owned.session.edit?.(ref, change, signal),
      );
      return changed(job, null);
    } catch (error) {
      return await this.#next(
        owned,
        job,
        afterFailure(error, { idempotent: true, attempts: job.attempts + 1 }),
        error,
      );
    } finally {
      await file?.prepared.discard();
    }
  }

  /**
   * Durable mark, then a last look at the lease: a node that was frozen in between must not send any more. Null when
   * the request may leave now.
   */
  async #start(owned: OwnedChannel, job: SendJob): Promise<Step | null> {
    const jitter = this.#gate.jitterMs(owned);
    if (jitter > 0) await sleep(jitter, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    if (this.#pump.isStopping) return { kind: "rest", ms: 0 };
    const started = await this.#starts.add({
      id: job.id,
      chat: job.chat,
      channelId: owned.channelId,
      epoch: owned.epoch,
      seenEpoch: job.startedEpoch,
      attempts: job.attempts,
    });
    if (started && owned.canSend()) return null;
    return { ...HINDERED, ...(started ? { finish: unstarted(job, owned.epoch) } : {}) };
  }

  async #fileOf(
    owned: OwnedChannel,
    job: SendJob,
  ): Promise<{ prepared: PreparedFile } | { step: Step } | null> {
    const attachment = attachmentOf(job);
    if (attachment === undefined) return null;
    const preparation = await prepareAttachment(attachment, {
      dispatcher: this.#options.dispatcher,
      directory: this.#options.temporaryDirectory,
      signal: owned.link.signal,
      files: this.#core.files,
    });
    if (preparation.kind === "ready") {
      const { prepared } = preparation;
      const fault = findFileFault(owned.transport.definition, prepared.file);
      if (fault === null) return { prepared };
      await prepared.discard();
      return { step: job.kind === "send" ? failed(job, fault) : changed(job, fault) };
    }
    const code = "CONTENT_CONVERSION_ERROR";
    const error =
      preparation.kind === "refused"
        ? preparation.error
        : { code, description: "The file could not be fetched from its address", data: preparation.reason };
    const step =
      preparation.kind === "later" && job.attempts < MAX_FETCHES
        ? again(job, owned.epoch)
        : job.kind === "send"
          ? failed(job, error)
          : changed(job, error);
    return { step };
  }

  #report(owned: OwnedChannel, result: string, began: number): void {
    this.#options.onSend?.(owned.transport.definition.id, result, this.#core.clock.monotonicMs() - began);
  }
}

/** A chat that is worked on, and whose places it takes. */
interface Running extends Place {
  readonly chat: string;
  readonly channelId: string;
}

/** What follows from a job: go on with the lane or let it rest. */
type Step = { readonly kind: "done"; readonly finish: Finish } | Rest;

/** `by`: what it waits for, where that is no matter of moments. */
interface Rest {
  readonly kind: "rest";
  readonly ms: number;
  readonly by?: HeldBy;
  readonly finish?: Finish;
}

const AT_ONCE: Rest = { kind: "rest", ms: 0 };

const NOTHING = (): void => undefined;
const MAX_FETCHES = 5;
/** When a file whose account fetches enough others is looked at again. */
const FETCH_TURN_MS = 1_000;
/** For a job that cannot start: the channel or the lease is not ours at the moment, or the job has changed. */
const HINDERED_MS = 100;
const HINDERED: Rest = { kind: "rest", ms: HINDERED_MS };
const LONGEST_REST_MS = 60_000;
/** For a chat of which the database refuses to store something: it will hardly be another in a moment. */
const UNSTORED_MS = 5_000;
const UNKNOWN_OUTCOME: MessageError = {
  code: "UNKNOWN_ERROR",
  description: "It is not known whether the messenger took this message; it was not sent again",
};

const NO_TEMPLATE: MessageError = {
  code: "GENERAL_ERROR",
  description: "The template does not exist any more",
};

function attachmentOf({ kind, content, change }: SendJob): Attachment | undefined {
  return kind === "send" ? content.attachment : change?.attachment;
}

function isArrival(finish: Finish | undefined): boolean {
  return finish?.kind === "outcome" && finish.outcome.result.kind === "sent";
}

/** Who waits for long is looked at in between: the person may write, or somebody change a setting. */
function releaseAfter(rest: Rest | null): Pick<LaneRelease, "delayMs" | "held"> {
  if (rest?.by === undefined) return { delayMs: rest?.ms ?? 0, held: null };
  const { by, ms } = rest;
  return { delayMs: by === "allowance" || by === "hold" ? Math.min(ms, RELOOK_MS) : ms, held: { by, ms } };
}

function done(finish: Finish): Step {
  return { kind: "done", finish };
}

function failed(job: SendJob, error: MessageError): Step {
  const { accountId, channelId, chat, messageId, id } = job;
  return done({
    kind: "outcome",
    outcome: { accountId, channelId, chat, messageId, jobId: id, result: { kind: "failed", error } },
  });
}

function changed(job: SendJob, error: MessageError | null): Step {
  return done({ kind: "change", change: { job, error } });
}

function again(job: SendJob, epoch: number): Step {
  return {
    kind: "rest",
    ms: Math.min(LONGEST_REST_MS, 1_000 * 2 ** job.attempts),
    by: "retry",
    finish: unstarted(job, epoch),
  };
}

function unstarted(job: SendJob, epoch: number, { mayHaveArrived = false } = {}): Finish {
  const unsure = mayHaveArrived || job.unsureMs !== null;
  return { kind: "again", job, epoch, attempts: job.attempts + 1, unsure };
}

function outcomeOf(job: SendJob, sent: SentMessage): Extract<Finish, { kind: "outcome" }>["outcome"] {
  const { accountId, channelId, chat, messageId, id } = job;
  const sentAt = soundDate(sent.sentAt);
  return { accountId, channelId, chat, messageId, jobId: id, result: { kind: "sent", ...sent, sentAt } };
}
