import { Cache } from "../../core/cache.ts";
import type { StartedJob } from "../../core/message/accept.ts";
import { storedForm } from "../../core/message/accept-statement.ts";
import type { AcceptedMessage } from "../../core/message/accepted-message.ts";
import type { ChatJobs, SendJob } from "../../core/message/send-jobs.ts";

const MAX_UNSENT = 10_000;
/** The node that was to send the messages checks them well within this time. */
const UNSENT_MS = 60_000;

/**
 * Messages that are sent without being read back: each is stored together with its started mark. If it is unknown
 * whether one was stored, this object remembers that this process has not sent it, whatever the mark says.
 */
export class AtOnce {
  readonly #unsent = new Cache<string, number>({ maxEntries: MAX_UNSENT, ttlMs: UNSENT_MS });

  /** Not if its chat has to be read for it, or if another owner may have marked it. */
  static isPossible({ quoted_id: quoted, content }: AcceptedMessage): boolean {
    return quoted === null && content.attachment === undefined && content.template === undefined;
  }

  /**
   * The message as reading its chat would return it, to be sent now. What was remembered of an earlier attempt to store
   * it ends here: if the outcome of this send is lost with the primary, its mark is read again.
   */
  begin(message: AcceptedMessage, { id, bytes, chatId, quietMs }: StartedJob): ChatJobs {
    this.#unsent.delete(message.id);
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
      isQuotedDeleted: false,
      quotedPost: null,
      isFirstContact: null,
      quietMs,
    };
    return { jobs: [job], found: 1, bytes, restMs: 0 };
  }

  /** It is unknown whether the message is marked, or it was not stored. */
  notSent({ id }: AcceptedMessage, epoch: number): void {
    this.#unsent.set(id, epoch);
  }

  /**
   * Corrects a job that was read: the mark of a message that this process has not sent means nothing, and serves for
   * the next request.
   */
  known(job: SendJob): SendJob {
    const epoch = this.#unsent.get(job.messageId);
    if (epoch === undefined) return job;
    this.#unsent.delete(job.messageId);
    const isUnsent = job.kind === "send" && job.startedEpoch === epoch && job.attempts === 1;
    return isUnsent ? { ...job, startedEpoch: null, isMarked: true, attempts: 0, unsureMs: null } : job;
  }
}
