import type { Core } from "../core/core.ts";
import { fileNotFetched, fileStored } from "../core/file/fetched.ts";
import { extendClaim, takeWaitingFiles, type WaitingFile } from "../core/file/files.ts";
import { hasFullFiles } from "../core/quota/files.ts";
import type { OpenedFile } from "../core/transport/connector.ts";
import { TransportError } from "../core/transport/errors.ts";
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

/** Removal of old files frees space, so this is retried for as long as an unavailable store. */
const QUOTA_FULL = new TransportError("GENERAL_ERROR", "The account's quota of files is used up", {
  retry: "later",
});

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
    try {
      await this.#store(file);
    } catch (error) {
      await this.#postpone(file, error).catch((late: unknown) =>
        this.#core.log.warn({ err: late }, "a file's state could not be stored"),
      );
    }
  }

  async #store(file: WaitingFile): Promise<void> {
    const { quotas } = this.#core.settings;
    if (await hasFullFiles(this.#core.db, file, quotas)) throw QUOTA_FULL;
    const { size, ...opened } = await this.#download(file);
    const isStored = await fileStored(this.#core, file, {
      size,
      mimeType: opened.mimeType ?? null,
      name: opened.name ?? null,
      maxBytes: quotas.fileBytes,
    });
    if (isStored) return;
    await this.#core.files.remove(file.id);
    throw QUOTA_FULL;
  }

  async #download(file: WaitingFile): Promise<Omit<OpenedFile, "stream"> & { size: number }> {
    const owned = this.#sessions.get(file.channelId);
    if (owned?.session.openFile === undefined)
      throw new TransportError("GENERAL_ERROR", "The channel is not open", { retry: "later" });
    const watch = new DownloadWatch({
      timing: this.#timing,
      extendClaim: () => extendClaim(this.#core.db, file),
      onError: (error) => this.#core.log.debug({ err: error }, "the claim on a file could not be extended"),
    });
    const signal = AbortSignal.any([this.#end.signal, owned.link.signal, watch.signal]);
    try {
      const { stream, ...about } = await owned.session.openFile(file.source, signal);
      const { size } = await this.#core.files.put(file.id, watch.follow(stream, signal), {
        maxBytes: MAX_BYTES,
      });
      return { ...about, size };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      watch.stop();
    }
  }

  async #postpone(file: WaitingFile, error: unknown): Promise<void> {
    const reason = messageOf(error);
    const forGood =
      (error instanceof TransportError && error.retry === "never") || file.attempts >= MAX_ATTEMPTS;
    const againMs = this.#end.signal.aborted ? 0 : backOffMs(file.attempts, RESTS, 1);
    await fileNotFetched(this.#core, file, reason, forGood ? null : againMs);
    this.#core.log[file.isAvatar ? "debug" : "warn"](
      { channelId: file.channelId, fileId: file.id, reason, forGood },
      "a file could not be fetched",
    );
    // A first message may wait for this picture.
    if (file.isAvatar) this.#core.signals.notify("files");
  }
}
