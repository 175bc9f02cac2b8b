import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { recordRestriction } from "../../core/channel/restriction.ts";
import type { Attachment } from "../../core/content.ts";
import type { Core } from "../../core/core.ts";
import { storeUpload } from "../../core/file/uploads.ts";
import { newestInbound } from "../../core/message/mark.ts";
import { findFileFault, precheck } from "../../core/message/precheck.ts";
import { type JobStart, type SendJob, startJobs } from "../../core/message/send-jobs.ts";
import { noticeTimeline } from "../../core/message/timeline.ts";
import type { MessageError } from "../../core/payload/facts.ts";
import { retryUntilStored } from "../../core/retry.ts";
import { findTemplate } from "../../core/template/templates.ts";
import { SEND_TIMEOUT_MS } from "../../core/transport/connector.ts";
import { aboutMessage } from "../../core/transport/current-message.ts";
import type { ChatType } from "../../core/transport/definition.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { MessageRef } from "../../core/transport/events.ts";
import type { Template } from "../../core/transport/template.ts";
import { isTemporary } from "../../database/database.ts";
import type { MediaProcesses } from "../../platform/media/media-processes.ts";
import { type Batcher, createBatcher } from "../../platform/queue/batcher.ts";
import { type PreparedFile, prepareAttachment } from "../attachments.ts";
import { FetchLimiter } from "../fetch-limiter.ts";
import type { Lease } from "../lease.ts";
import { prepareMedia } from "../media.ts";
import type { OwnedChannel } from "../session/held-channel.ts";
import { FailureCounts } from "./failure-counts.ts";
import { messageOf, type Parts } from "./outbound-message.ts";
import type { PacingGate } from "./pacing-gate.ts";
import {
  afterFailure,
  causeOf,
  errorOf,
  isFlood,
  MAX_ATTEMPTS,
  mustNotRepeat,
  type NextStep,
} from "./send-policy.ts";
import { AT_ONCE, again, BLOCKED, changed, done, failed, type Step, sent, unstarted } from "./send-steps.ts";
import type { Finish } from "./sender-finish.ts";

const MAX_REPEATED_FETCHES = 5;
/** How long a file waits if its account already uses its share of downloads. */
const FETCH_RETRY_MS = 1_000;
const NOTHING = (): void => undefined;
const UNKNOWN_OUTCOME: MessageError = {
  code: "UNKNOWN_ERROR",
  description: "It is unknown whether the messenger accepted this message; it was not sent again",
};
const NO_TEMPLATE: MessageError = {
  code: "GENERAL_ERROR",
  description: "The template no longer exists",
};

export interface JobSenderOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  /** HTTP dispatcher that guards requests to the addresses of attachments. */
  readonly dispatcher: Dispatcher;
  readonly temporaryDirectory: string;
  readonly media: MediaProcesses;
  /** `cause`: why the attempt failed. */
  onSend?(transport: string, result: string, durationMs: number, job: SendJob, cause?: unknown): void;
}

/**
 * Sends one job through its channel's session. The job is marked as started before its request is sent: a crash
 * cannot send it twice, and no cancellation succeeds after it was sent.
 */
export class JobSender {
  readonly #options: JobSenderOptions;
  readonly #core: Core;
  readonly #gate: PacingGate;
  readonly #starts: Batcher<JobStart, boolean>;
  readonly #fetches = new FetchLimiter();
  readonly #failures = new FailureCounts();
  /** Aborts pauses when the sender stops. */
  readonly #stopped = new AbortController();

  constructor(options: JobSenderOptions, gate: PacingGate) {
    this.#options = options;
    this.#core = options.core;
    this.#gate = gate;
    this.#starts = createBatcher<JobStart, boolean>({
      maxItems: 256,
      maxConcurrent: 1,
      run: async (starts) => {
        const { nodeId } = options.lease();
        const started = await retryUntilStored(
          () => startJobs(this.#core.db, { nodeId, timeline: this.#knownTimeline() }, starts),
          () => !options.lease().isValid(),
        );
        if (started.size < starts.length) await this.#noticeTimeline();
        return starts.map(({ job }) => started.has(job.id));
      },
    });
  }

  #knownTimeline(): string | null {
    return this.#options.lease().primary.known?.timeline ?? null;
  }

  /** A failure is only logged: the next job repeats the query. */
  async #noticeTimeline(): Promise<void> {
    await noticeTimeline(this.#core, this.#options.lease().primary).catch((error: unknown) =>
      this.#core.log.debug({ err: error }, "the database's timeline is not known yet"),
    );
  }

  /** Starts no more jobs. */
  stop(): void {
    this.#stopped.abort();
  }

  /** The returned step is not stored yet. Never rejects. */
  process(owned: OwnedChannel, job: SendJob): Promise<Step> {
    // Marks concern a chat.
    return aboutMessage(job.kind === "mark" ? undefined : job.messageId, () => this.#process(owned, job));
  }

  async #process(owned: OwnedChannel, job: SendJob): Promise<Step> {
    const fetched = attachmentOf(job) === undefined ? NOTHING : this.#fetches.take(job.accountId);
    if (fetched === null) return { kind: "rest", ms: FETCH_RETRY_MS };
    try {
      const step = await (job.kind === "send"
        ? this.#send(owned, job, fetched)
        : this.#change(owned, job, fetched));
      if (step.kind === "done") {
        this.#failures.forget(job.id);
        this.#count(owned, step.finish);
      }
      return step;
    } catch (error) {
      // Thrown before the request was sent, so it is handled like later failures: for example no disk space for the
      // file.
      const { channelId, epoch } = owned;
      const level = isTemporary(error) ? "warn" : "error";
      this.#core.log[level]({ err: error, channelId, jobId: job.id }, "a message could not be prepared");
      return again(job, epoch);
    } finally {
      fetched();
    }
  }

  /** `fetched` is called when the file is on disk. */
  async #send(owned: OwnedChannel, job: SendJob, fetched: () => void): Promise<Step> {
    const { definition } = owned.transport;
    if (job.status !== "queued") return done({ kind: "drop", job });
    if (mustNotRepeat(definition.capabilities.resend, job)) return failed(job, UNKNOWN_OUTCOME);
    const fault = precheck(definition, job);
    if (fault !== null) return failed(job, fault);
    const wait = await this.#gate.pass(owned, job);
    if (wait === "unknown") return BLOCKED;
    if (wait !== null) return { kind: "rest", ...wait };
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

  /** The current template, which may have changed since the message was accepted. Null if it was deleted. */
  async #templateOf({ accountId, content }: SendJob): Promise<Template | null | undefined> {
    if (content.template === undefined) return undefined;
    return findTemplate(this.#core.db, { accountId }, content.template.id);
  }

  async #deliver(owned: OwnedChannel, job: SendJob, parts: Parts): Promise<Step> {
    const blocked = await this.#start(owned, job);
    if (blocked !== null) return blocked;
    const began = this.#core.clock.monotonicMs();
    try {
      const message = messageOf(job, parts);
      const answer = await this.#ask(owned, (signal) => owned.session.send(message, signal));
      this.#report(owned, job, "sent", began);
      return sent(job, answer);
    } catch (error) {
      const idempotent = owned.transport.definition.capabilities.resend !== "unsafe";
      const next = this.#afterFailure(job, error, idempotent);
      this.#report(owned, job, next.kind === "fail" ? next.error.code : "again", began, error);
      return await this.#next(owned, job, next, error);
    }
  }

  /** Sends a request to the messenger. The outcome is unknown after a timeout or when the node loses the channel. */
  #ask<T>(owned: OwnedChannel, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { resend } = owned.transport.definition.capabilities;
    return owned.limits.run(SEND_TIMEOUT_MS, (signal) =>
      request(signal).catch((error: unknown) => {
        throw causeOf(error, signal, resend);
      }),
    );
  }

  #afterFailure(job: SendJob, cause: unknown, idempotent: boolean): NextStep {
    const floods = isFlood(cause) ? this.#failures.add(job.id, "flood") : 0;
    return afterFailure(cause, { idempotent, attempts: job.attempts + 1, floods });
  }

  async #next(owned: OwnedChannel, job: SendJob, next: NextStep, cause: unknown): Promise<Step> {
    if (!(cause instanceof TransportError))
      this.#core.log.error(
        { err: cause, channelId: owned.channelId },
        "a connector failed in a way it must not",
      );
    else {
      const { cooldown, restriction } = cause;
      if (cooldown !== undefined) await this.#noted(owned, this.#gate.startCooldown(owned, cooldown));
      if (restriction !== undefined)
        await this.#noted(owned, recordRestriction(this.#core, owned, restriction.kind, restriction));
    }
    this.#logFailure(owned, job, next, cause);
    if (next.kind === "fail") return failed(job, next.error);
    if (next.pause !== undefined)
      await this.#noted(owned, this.#gate.pause(owned, job, next.pause, next.afterMs));
    const mayHaveArrived = cause instanceof TransportError && cause.retry === "unknown";
    const { afterMs: ms } = next;
    const finish = unstarted(job, { epoch: owned.epoch, ms, mayHaveArrived });
    return { kind: "rest", ms, by: "retry", finish };
  }

  /** Why a message or change was not sent, or is tried again, also where the messenger is not reached by HTTP. */
  #logFailure({ link }: OwnedChannel, { kind, attempts }: SendJob, next: NextStep, cause: unknown): void {
    const isFinal = next.kind === "fail";
    const error = isFinal ? next.error : cause instanceof TransportError ? errorOf(cause) : {};
    const what = kind === "send" ? "a message" : "a change of a message";
    link.log("warn", isFinal ? `${what} was not sent` : `${what} is sent again`, {
      ...error,
      attempt: attempts + 1,
      ...(isFinal ? {} : { againInMs: next.afterMs }),
    });
  }

  /** What the messenger said of the request counts, also if what it said of the channel cannot be stored. */
  async #noted({ channelId }: OwnedChannel, stored: Promise<unknown>): Promise<void> {
    await stored.catch((error: unknown) =>
      this.#core.log.warn(
        { err: error, channelId },
        "what the messenger said of the channel could not be stored",
      ),
    );
  }

  async #change(owned: OwnedChannel, job: SendJob, fetched: () => void): Promise<Step> {
    if (job.kind === "mark") return this.#mark(owned, job);
    if (job.externalId === null)
      return failed(job, { code: "GENERAL_ERROR", description: "The message has not been sent" });
    const ref: MessageRef = {
      chatType: job.chatType as ChatType,
      chatId: job.chatId,
      externalId: job.externalId,
    };
    // A reaction is a request like a message.
    const wait = job.kind === "react" ? await this.#gate.pass(owned, job) : null;
    if (wait === "unknown") return BLOCKED;
    if (wait !== null) return { kind: "rest", ...wait };
    const file = await this.#fileOf(owned, job);
    fetched();
    if (file !== null && "step" in file) return file.step;
    try {
      const blocked = await this.#start(owned, job);
      if (blocked !== null) return blocked;
      await this.#ask(owned, (signal) => changeOf(owned.session, job, { ref, file, signal }));
      return changed(job, null);
    } catch (error) {
      return await this.#next(owned, job, this.#afterFailure(job, error, true), error);
    } finally {
      await file?.prepared.discard();
    }
  }

  /** Marks are no messages: pacing does not count them. */
  async #mark(owned: OwnedChannel, job: SendJob): Promise<Step> {
    const { mark = "read", until } = job.change ?? {};
    if (until !== undefined && this.#core.clock.now() > new Date(until)) return changed(job, null);
    try {
      const messages = await newestInbound(this.#core.db, job);
      const blocked = await this.#start(owned, job);
      if (blocked !== null) return blocked;
      const chat = { chatType: job.chatType as ChatType, chatId: job.chatId, messages };
      await this.#ask(owned, async (signal) => owned.session.mark?.(chat, mark, signal));
      return changed(job, null);
    } catch (error) {
      return await this.#next(owned, job, this.#afterFailure(job, error, true), error);
    }
  }

  /**
   * Stores the started mark, then checks the lease again: a node that was frozen in between must not send. Null: the
   * request may be sent now.
   */
  async #start(owned: OwnedChannel, job: SendJob): Promise<Step | null> {
    const jitter = this.#gate.jitterMs(owned);
    if (jitter > 0) await sleep(jitter, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    if (this.#stopped.signal.aborted) return AT_ONCE;
    const { epoch } = owned;
    const started = job.isMarked === true || (await this.#starts.add({ job, epoch }));
    if (started && owned.canSend()) return null;
    return { ...BLOCKED, ...(started ? { finish: unstarted(job, { epoch, ms: null }) } : {}) };
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
      offer: async (file) => (await storeUpload(this.#core, owned, file)).url,
    });
    if (preparation.kind === "ready") {
      const prepared = await this.#mediaOf(owned, job, preparation.prepared);
      const fault = findFileFault(owned.transport.definition, prepared.file);
      if (fault === null) return { prepared };
      await prepared.discard();
      return { step: failed(job, fault) };
    }
    const code = "CONTENT_CONVERSION_ERROR";
    const error =
      preparation.kind === "refused"
        ? preparation.error
        : { code, description: "The file could not be fetched from its address", data: preparation.reason };
    const isRepeated = preparation.kind === "later" && this.#mayFetchAgain(job);
    return { step: isRepeated ? again(job, owned.epoch) : failed(job, error) };
  }

  #mediaOf(owned: OwnedChannel, job: SendJob, prepared: PreparedFile): Promise<PreparedFile> {
    return prepareMedia(prepared, owned.transport.definition.capabilities, {
      accountId: owned.accountId,
      processes: this.#options.media,
      directory: this.#options.temporaryDirectory,
      signal: owned.link.signal,
      asVoice: attachmentOf(job)?.voice === true,
      offer: async ({ name, mimeType, open }) =>
        (await storeUpload(this.#core, owned, { name, mimeType, content: open() })).url,
      onFailure: (reason) =>
        this.#core.log.info(
          { channelId: owned.channelId, messageId: job.messageId, reason },
          "a file could not be prepared for the messenger and is sent as it is",
        ),
    });
  }

  /** Called when the host of the job's file has failed. */
  #mayFetchAgain(job: SendJob): boolean {
    return this.#failures.add(job.id, "fetch") <= MAX_REPEATED_FETCHES && job.attempts < MAX_ATTEMPTS;
  }

  #report(owned: OwnedChannel, job: SendJob, result: string, began: number, cause?: unknown): void {
    const { accountId, channelId: subject, transport } = owned;
    const value = this.#core.clock.monotonicMs() - began;
    this.#core.statistics.add({ accountId, kind: "requests", subject, label: result, value });
    this.#options.onSend?.(transport.definition.id, result, value, job, cause);
  }

  #count({ accountId, channelId: subject }: OwnedChannel, finish: Finish): void {
    if (finish.kind !== "outcome") return;
    const { result } = finish.outcome;
    const label = result.kind === "sent" ? "sent" : result.error.code;
    this.#core.statistics.add({ accountId, kind: "messages", subject, label });
  }
}

async function changeOf(
  session: OwnedChannel["session"],
  { id, kind, change, direction, senderId }: SendJob,
  {
    ref,
    file,
    signal,
  }: {
    readonly ref: MessageRef;
    readonly file: { prepared: PreparedFile } | null;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  switch (kind) {
    case "edit": {
      const text = { text: change?.text ?? "" };
      return session.edit?.(ref, file === null ? text : { file: file.prepared.file }, signal);
    }
    case "remove":
      return session.remove?.(ref, signal);
    case "react": {
      const author = senderId == null ? {} : { senderId };
      const target = { ...ref, isOwn: direction !== "in", ...author, changeId: String(id) };
      return session.react?.(target, change?.emoji ?? null, signal);
    }
    default:
      // Such as one that a newer node has stored: done as another change, it would damage the message.
      throw new Error(`This node knows no change "${kind}" of a message`);
  }
}

function attachmentOf({ kind, content, change }: SendJob): Attachment | undefined {
  return kind === "send" ? content.attachment : change?.attachment;
}
