import { Cache } from "../../core/cache.ts";
import { type AcceptedMessage, type StartedJob, storedForm } from "../../core/message/accept.ts";
import type { ChatJobs, SendJob } from "../../core/message/send-jobs.ts";

const MAX_UNSENT = 10_000;
/** Who was to send them looks at them within moments. */
const UNSENT_MS = 60_000;

/**
 * Messages that are sent without being read: they are stored with the mark of their send. Where it is not known whether one was
 * stored, it is remembered that this process has not sent it, whatever its mark says.
 */
export class AtOnce {
  readonly #unsent = new Cache<string, number>({ maxEntries: MAX_UNSENT, ttlMs: UNSENT_MS });

  /** What its chat has to be read for, or another owner may have marked it. */
  static isPossible({ quoted_id: quoted, content }: AcceptedMessage): boolean {
    return quoted === null && content.attachment === undefined && content.template === undefined;
  }

  /** The message as its chat would be read. */
  static read(message: AcceptedMessage, { id, bytes, chatId, quietMs }: StartedJob): ChatJobs {
    const job: SendJob = {
      id,
      kind: "send",
      change: null,
      startedEpoch: null,
      isMarked: true,
      unsureMs: null,
      attempts: 0,
      accountId: message.account_id,
      channelId: message.channel_id,
      chat: message.chat,
      messageId: message.id,
      chatType: message.chat_type,
      chatId: chatId ?? message.chat_id,
      type: message.type,
      status: "queued",
      ...storedForm(message),
      externalId: null,
      quotedExternalId: null,
      quotedPost: null,
      isFirstContact: null,
      quietMs,
    };
    return { jobs: [job], found: 1, bytes, restMs: 0 };
  }

  /** Nobody knows whether it is marked. */
  notSent({ id }: AcceptedMessage, epoch: number): void {
    this.#unsent.set(id, epoch);
  }

  /** A job as it was read. The mark of one that this process has not sent says nothing, and serves for the next request. */
  known(job: SendJob): SendJob {
    const epoch = this.#unsent.get(job.messageId);
    if (epoch === undefined) return job;
    this.#unsent.delete(job.messageId);
    const isUnsent = job.kind === "send" && job.startedEpoch === epoch && job.attempts === 1;
    return isUnsent ? { ...job, startedEpoch: null, attempts: 0, unsureMs: null } : job;
  }
}
