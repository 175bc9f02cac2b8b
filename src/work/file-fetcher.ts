import type { Core } from "../core/core.ts";
import { fileNotFetched, fileStored } from "../core/file/fetched.ts";
import { extendClaim, type FileProgress, takeWaitingFiles, type WaitingFile } from "../core/file/files.ts";
import { receiveFile } from "../core/file/receive.ts";
import { ClaimLost, FileRoom, NoRoom } from "../core/file/room.ts";
import type { FileResume, OpenedFile } from "../core/transport/connector.ts";
import { TransportError } from "../core/transport/errors.ts";
import { FileTooBig } from "../platform/file/files.ts";
import { StagedUploadLost } from "../platform/file/staged-upload.ts";
import { messageOf } from "../platform/message-of.ts";
import { backOffMs } from "../platform/queue/back-off.ts";
import { type DownloadPlaces, downloadPlaces } from "./download-places.ts";
import { type DownloadTiming, DownloadWatch } from "./download-watch.ts";
import { FutilePoll } from "./futile-poll.ts";
import { PollLoop } from "./poll-loop.ts";
import type { Sessions } from "./session/sessions.ts";

const POLL_INTERVAL_MS = 2_000;
/**
 * A file is given up after this many attempts, about a day: messengers, stores and disks can be unavailable for
 * hours.
 */
const MAX_ATTEMPTS = 32;
const RESTS = { firstMs: 4_000, longestMs: 3_600_000 };
/** The largest file takes two hours at 300 kB/s. */
const TIMING: DownloadTiming = { silentMs: 2 * 60_000, longestMs: 2 * 3_600_000, extendEveryMs: 60_000 };
/** Limit of a file. No messenger offers larger files to bots or partners; WhatsApp's documents are the largest. */
const MAX_BYTES = 2 * 1024 ** 3;

/** Fetches the files of inbound messages, each once, through the session of the channel that received them. */
export class FileFetcher {
  readonly #core: Core;
  readonly #sessions: Sessions;
  readonly #timing: DownloadTiming;
  readonly #running = new Map<Promise<void>, WaitingFile>();
  readonly #end = new AbortController();
  readonly #loop: PollLoop;
  readonly #futile = new FutilePoll();

  constructor(options: { core: Core; sessions: Sessions; timing?: DownloadTiming }) {
    this.#core = options.core;
    this.#sessions = options.sessions;
    this.#timing = options.timing ?? TIMING;
    this.#loop = new PollLoop({
      signals: this.#core.signals,
      topic: "files",
      everyMs: POLL_INTERVAL_MS,
      isWatched: () => this.#core.signals.isWatched(),
      poll: () => this.#poll(),
      onError: (error) => this.#core.log.debug({ err: error }, "waiting files could not be polled"),
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#loop.stop();
    await Promise.allSettled(this.#running.keys());
  }

  /**
   * Whether a poll found none of the due files for this node's channels, and no file has become due since. `latestDue`:
   * when the latest file of all channels became due, in seconds since 1970.
   */
  hasLookedFor(latestDue: number): boolean {
    return this.#futile.covers({ latestDue, channelIds: this.#channelIds() }, performance.now());
  }

  #places(): DownloadPlaces {
    return downloadPlaces([...this.#running.values()]);
  }

  #channelIds({ fullAccounts } = this.#places()): string[] {
    return this.#sessions
      .sendable()
      .filter(({ accountId }) => !fullAccounts.includes(accountId))
      .map(({ channelId }) => channelId);
  }

  async #poll(): Promise<boolean> {
    const places = this.#places();
    const channelIds = this.#channelIds(places);
    if (places.free === 0 || channelIds.length === 0) return false;
    const pollEnded = this.#futile.begin(channelIds);
    const running = [...this.#running.values()].map(({ id }) => id);
    const { free: limit, fullPartners } = places;
    const files = await takeWaitingFiles(this.#core.db, channelIds, limit, { running, fullPartners });
    pollEnded(files.length, performance.now());
    for (const file of files) {
      const fetching = this.#fetch(file).finally(() => {
        this.#running.delete(fetching);
        this.#loop.now();
      });
      this.#running.set(fetching, file);
    }
    return files.length === limit;
  }

  async #fetch(file: WaitingFile): Promise<void> {
    const attempt: Attempt = { progress: file.progress };
    try {
      await this.#store(file, attempt);
    } catch (error) {
      await this.#postpone(file, attempt, error).catch((late: unknown) =>
        this.#core.log.warn({ err: late }, "a file's state could not be stored"),
      );
    }
  }

  async #store(file: WaitingFile, attempt: Attempt): Promise<void> {
    const { quotas } = this.#core.settings;
    const { size, ...about } = await this.#download(file, attempt);
    const outcome = await fileStored(this.#core, file, { size, ...about, maxBytes: quotas.fileBytes });
    if (outcome === "stored") return;
    await this.#core.files.remove(file.id);
    if (outcome === "full") throw new NoRoom(size);
  }

  async #download(file: WaitingFile, attempt: Attempt): Promise<Downloaded> {
    const { files } = this.#core;
    const room = new FileRoom(this.#core, file);
    // Nothing is asked for that did not fit before.
    if (file.neededBytes !== null) await room.require(file.neededBytes, true);
    if (attempt.progress?.isWhole === true) {
      const { upload, name, mimeType } = attempt.progress;
      await files.complete(file.id, upload);
      return { size: upload.bytes, name, mimeType };
    }
    const owned = this.#sessions.get(file.channelId);
    if (owned?.session.openFile === undefined)
      throw new TransportError("GENERAL_ERROR", "The channel is not open", { retry: "later" });
    const watch = new DownloadWatch({
      timing: this.#timing,
      extendClaim: () => extendClaim(this.#core.db, file, attempt.progress),
      onError: (error) => this.#core.log.debug({ err: error }, "the claim on a file could not be extended"),
    });
    const signal = AbortSignal.any([this.#end.signal, owned.link.signal, watch.signal]);
    try {
      const opened = await owned.session.openFile(file.source, signal, resumeOf(attempt.progress));
      const about = { name: opened.name ?? null, mimeType: opened.mimeType ?? null };
      const stream = watch.follow(opened.stream, signal);
      const size = await this.#receive(file, attempt, { ...opened, stream, room });
      return { size, ...about };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      watch.stop();
    }
  }

  async #receive(
    file: WaitingFile,
    attempt: Attempt,
    { stream, room, from = 0, size, ...about }: OpenedFile & { readonly room: FileRoom },
  ): Promise<number> {
    const { files } = this.#core;
    const { name = null, mimeType = null, validator = null } = about;
    try {
      if (size !== undefined && size > MAX_BYTES) throw new FileTooBig(MAX_BYTES);
      if (size !== undefined) await room.require(size, true);
      const isRest = from !== 0 && from === attempt.progress?.upload.bytes;
      if (!isRest) await this.#discard(file, attempt);
      if (!isRest && from !== 0) throw wrongRest();
      const received = await receiveFile(stream, {
        store: files,
        id: file.id,
        writer: file.attempts,
        maxBytes: MAX_BYTES,
        room,
        upload: attempt.progress?.upload ?? null,
        onPart: async (upload, isWhole) => {
          const isFirst = attempt.progress === null;
          attempt.progress = { upload, validator, isWhole, name, mimeType };
          // If this node dies, the next attempt finds what is written; later parts are stored with the claim.
          if (isFirst && !(await extendClaim(this.#core.db, file, attempt.progress))) throw new ClaimLost();
        },
      });
      if (from === 0 || size === undefined || size === received) return received;
      attempt.progress = null;
      await files.remove(file.id);
      throw wrongRest();
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  /** Removes what earlier attempts have written. */
  async #discard({ id }: WaitingFile, attempt: Attempt): Promise<void> {
    if (attempt.progress !== null) await this.#core.files.discard(id, attempt.progress.upload);
    attempt.progress = null;
  }

  async #postpone(file: WaitingFile, attempt: Attempt, error: unknown): Promise<void> {
    const reason = messageOf(error);
    const forGood = isForGood(error) || file.attempts >= MAX_ATTEMPTS;
    const againMs = this.#end.signal.aborted ? 0 : backOffMs(file.attempts, RESTS, 1);
    const mayContinue = attempt.progress?.validator != null || attempt.progress?.isWhole === true;
    if (forGood || !mayContinue || isUnusable(error))
      await this.#discard(file, attempt).catch((late: unknown) =>
        this.#core.log.debug({ err: late, fileId: file.id }, "a part of a file could not be removed"),
      );
    await fileNotFetched(this.#core, file, {
      reason,
      againMs: forGood ? null : againMs,
      progress: attempt.progress,
      neededBytes: error instanceof NoRoom ? error.bytes : null,
    });
    this.#core.log[file.isAvatar ? "debug" : "warn"](
      { channelId: file.channelId, fileId: file.id, reason, forGood },
      "a file could not be fetched",
    );
    // A first message may wait for this picture.
    if (file.isAvatar) this.#core.signals.notify("files");
  }
}

/** What one attempt, together with earlier ones, has written. */
interface Attempt {
  progress: FileProgress | null;
}

interface Downloaded {
  readonly size: number;
  readonly name: string | null;
  readonly mimeType: string | null;
}

function resumeOf(progress: FileProgress | null): FileResume | undefined {
  if (progress === null || progress.validator === null) return undefined;
  return { from: progress.upload.bytes, validator: progress.validator };
}

function isForGood(error: unknown): boolean {
  return (error instanceof TransportError && error.retry === "never") || error instanceof FileTooBig;
}

/** What is written is of no use: there is no room for the rest, it is lost, or another attempt has taken over. */
function isUnusable(error: unknown): boolean {
  return error instanceof NoRoom || error instanceof StagedUploadLost || error instanceof ClaimLost;
}

/** The messenger says that it continues the download, but does not; the next attempt begins anew. */
function wrongRest(): TransportError {
  return new TransportError("GENERAL_ERROR", "The messenger sent another part of the file", {
    retry: "later",
  });
}
