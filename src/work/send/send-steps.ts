import { nicknameOf } from "../../core/chat/nickname.ts";
import type { SendJob } from "../../core/message/send-jobs.ts";
import type { MessageError } from "../../core/payload/facts.ts";
import type { SentMessage } from "../../core/transport/connector.ts";
import { plausibleDate } from "../../platform/foreign/foreign-date.ts";
import type { WaitReason } from "./pacing.ts";
import type { Finish } from "./sender-finish.ts";

/** What follows from a job: continue with the chat, or rest it. */
export type Step = { readonly kind: "done"; readonly finish: Finish } | Rest;

/** `by`: what it waits for, unless the wait is momentary. */
export interface Rest {
  readonly kind: "rest";
  readonly ms: number;
  readonly by?: WaitReason;
  readonly recheckMs?: number;
  readonly finish?: Finish;
}

export const AT_ONCE: Rest = { kind: "rest", ms: 0 };
/** For a job that cannot start: the channel or the lease is currently not ours, or the job has changed. */
export const BLOCKED: Rest = { kind: "rest", ms: 100 };

const LONGEST_REST_MS = 60_000;

export function isArrival(finish: Finish | undefined): boolean {
  return finish?.kind === "outcome" && finish.outcome.result.kind === "sent";
}

export function done(finish: Finish): Step {
  return { kind: "done", finish };
}

export function sent(job: SendJob, answer: SentMessage): Step {
  const sentAt = plausibleDate(answer.sentAt);
  const { recipient } = job.content;
  const isResolved = recipient !== undefined && answer.chatId !== job.chatId;
  const addressed = isResolved ? { nickname: nicknameOf(recipient) } : {};
  const result = { kind: "sent", ...answer, sentAt } as const;
  return done({ kind: "outcome", outcome: { ...idsOf(job), ...addressed, result } });
}

/** Ends the job with this error: a message as not sent, a change as not made. */
export function failed(job: SendJob, error: MessageError): Step {
  if (job.kind !== "send") return changed(job, error);
  return done({ kind: "outcome", outcome: { ...idsOf(job), result: { kind: "failed", error } } });
}

export function changed(job: SendJob, error: MessageError | null): Step {
  return done({ kind: "change", change: { job, error } });
}

/** An attempt that was never sent; it is made again. */
export function again(job: SendJob, epoch: number): Step {
  const ms = Math.min(LONGEST_REST_MS, 1_000 * 2 ** job.attempts);
  return { kind: "rest", ms, by: "retry", finish: unstarted(job, { epoch, ms }) };
}

/** `ms`: how long it rests, also after a change of owner. */
export function unstarted(
  job: SendJob,
  of: { readonly epoch: number; readonly ms: number | null; readonly mayHaveArrived?: boolean },
): Finish {
  const { epoch, ms, mayHaveArrived = false } = of;
  const unsure = mayHaveArrived || job.unsureMs !== null;
  return { kind: "again", job, epoch, attempts: job.attempts + 1, unsure, ms };
}

function idsOf({ accountId, channelId, chat, messageId, id, content }: SendJob) {
  const origin = content.fromApp === undefined ? {} : { isFromApp: content.fromApp };
  return { accountId, channelId, chat, messageId, jobId: id, ...origin };
}
