import type { Core } from "../core/core.ts";
import { CSV_HEAD, endOfPage, readCsvPage } from "../core/export/csv.ts";
import { CsvText, CsvTextFull } from "../core/export/csv-text.ts";
import {
  claimExports,
  type ExportJob,
  finishExport,
  type Progress,
  postponeExport,
  releaseExport,
  restartExport,
  saveProgress,
} from "../core/export/queue.ts";
import { checkFiles } from "../core/quota/files.ts";
import { StagedUploadLost } from "../platform/file/staged-upload.ts";
import { isHeldBy, type Lease } from "./lease.ts";
import { PollLoop } from "./poll-loop.ts";

/** Concurrent exports on one node, each of another account. */
const MAX_EXPORTS = 2;
const TIME_SLICE_MS = 20_000;
/** Bytes stored at a time, together with the progress: at most this much is written again after a crash. */
const CHUNK_BYTES = 6 * 1024 * 1024;
const PAGE_BYTES = 4 * 1024 * 1024;
const FIRST_PAGE = 100;
const MAX_PAGE = 30_000;
const MAX_REST_MS = 300_000;
const NOTHING = Buffer.alloc(0);

export interface ExporterOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  /** How long files are kept, in milliseconds. */
  readonly retentionMs: number;
  /** After this long an export goes to the end of the queue; default 20,000. */
  readonly timeSliceMs?: number;
}

/** A request for an export notifies all nodes; polling finds it if the notification was lost. */
const POLL_INTERVAL_MS = 2_000;

/** Writes exports of messages page by page, storing each chunk before the next, so that any node can continue. */
export class Exporter {
  readonly #options: ExporterOptions;
  readonly #core: Core;
  readonly #running = new Map<Promise<void>, string>();
  readonly #loop: PollLoop;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#loop = new PollLoop({
      signals: this.#core.signals,
      topic: "exports",
      everyMs: POLL_INTERVAL_MS,
      isWatched: () => this.#core.signals.isWatched(),
      poll: () => this.#claim(),
      onError: (error) => this.#core.log.debug({ err: error }, "exports could not be polled"),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Takes no new work. Resolves when the exports under way are released. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.allSettled(this.#running.keys());
  }

  async #claim(): Promise<boolean> {
    const free = MAX_EXPORTS - this.#running.size;
    const lease = this.#options.lease();
    if (free <= 0 || !lease.isValid()) return false;
    const inHand = [...this.#running.values()];
    for (const job of await claimExports(this.#core.db, lease.nodeId, { limit: free, inHand }))
      this.#run(job);
    return false;
  }

  #run(job: ExportJob): void {
    const running = this.#work(job)
      .catch((error: unknown) => this.#failed(job, error))
      .catch((error: unknown) =>
        this.#core.log.warn({ err: error, exportId: job.id }, "an export stays claimed"),
      )
      .finally(() => {
        this.#running.delete(running);
        this.#loop.now();
      });
    this.#running.set(running, job.id);
  }

  async #work(job: ExportJob): Promise<void> {
    // Those requested before it may have used up the quota.
    if (job.progress.draft === null) await checkFiles(this.#core, job);
    const progress = await this.#write(job);
    if (progress === "lost") return;
    if (progress === "again") return releaseExport(this.#core.db, job);
    const { draft, messages } = progress;
    if (draft === null) throw new Error("An export without written data cannot be completed");
    await this.#core.files.complete(job.id, draft);
    if (!(await finishExport(this.#core, job, this.#options.retentionMs))) return;
    const { accountId, id: exportId } = job;
    this.#core.log.info({ accountId, exportId, messages, bytes: draft.bytes }, "an export is complete");
  }

  /**
   * Continues from the stored progress until the export or this node's time slice ends. A chunk is stored while the
   * next is read.
   */
  async #write(job: ExportJob): Promise<Progress | "again" | "lost"> {
    const endsAt = this.#core.clock.monotonicMs() + (this.#options.timeSliceMs ?? TIME_SLICE_MS);
    const isOver = (): boolean => this.#loop.isStopping || this.#core.clock.monotonicMs() >= endsAt;
    const isOurs = (): boolean => isHeldBy(this.#options.lease(), job.nodeId);
    let saving = Promise.resolve<Progress | null>(job.progress);
    let { afterId, isRead } = job.progress;
    let size = FIRST_PAGE;
    let [text, other] = [new CsvText(), new CsvText()];
    text.begin(beginningOf(job.progress));
    while (!isRead) {
      const page = await this.#readPage(job, { after: afterId, size }, text);
      size = nextSize(page);
      isRead = page.to === null;
      afterId = page.to ?? afterId;
      if (text.length >= CHUNK_BYTES || isRead) {
        const saved = await saving;
        if (saved === null) return "lost";
        if (!isOurs()) return "again";
        saving = this.#save(job, saved, { text, afterId, isRead });
        // Awaited after the next chunk, or below.
        saving.catch(() => undefined);
        [text, other] = [other, text];
        text.begin(NOTHING);
      }
      if (isOver() || !isOurs()) break;
    }
    const saved = await saving;
    if (saved === null) return "lost";
    if (saved.isRead) return saved;
    if (isOurs() && afterId !== saved.afterId) await this.#saveTail(job, saved, { text, afterId });
    return "again";
  }

  /** What has been read since the last chunk is too short for one; it goes into the progress. */
  async #saveTail(
    job: ExportJob,
    { draft, messages }: Progress,
    { text, afterId }: { readonly text: CsvText; readonly afterId: string },
  ): Promise<void> {
    const read = { afterId, isRead: false, messages: messages + text.messages };
    await saveProgress(this.#core.db, job, { ...read, draft, tail: text.bytes() });
  }

  /** Null: another node has the export. */
  async #save(
    job: ExportJob,
    { draft, messages }: Progress,
    { text, afterId, isRead }: { text: CsvText; afterId: string; isRead: boolean },
  ): Promise<Progress | null> {
    const piece = { writer: job.writer, bytes: [text.bytes()] };
    await checkFiles(this.#core, job, text.length);
    const progress = {
      draft: await this.#core.files.append(job.id, draft, piece),
      messages: messages + text.messages,
      afterId,
      isRead,
      tail: null,
    };
    return (await saveProgress(this.#core.db, job, progress)) ? progress : null;
  }

  /** Adds the next page to the text. If messages are so long that the page does not fit, it is made smaller. */
  async #readPage(
    job: ExportJob,
    page: { readonly after: string; readonly size: number },
    text: CsvText,
  ): Promise<ReadPage> {
    const { length: before, messages } = text;
    try {
      const to = await this.#readInto(text, job, page);
      return { to, size: page.size, bytes: text.length - before };
    } catch (error) {
      if (!(error instanceof CsvTextFull) || page.size === 1) throw error;
      text.cut(before, messages);
      return this.#readPage(job, { ...page, size: Math.ceil(page.size / 8) }, text);
    }
  }

  /** Returns where the page ended; null: nothing follows. */
  async #readInto(
    text: CsvText,
    job: ExportJob,
    page: { readonly after: string; readonly size: number },
  ): Promise<string | null> {
    const { startAt, endAt, channelId } = job;
    const { db, settings } = this.#core;
    const to = await endOfPage(db, job, page);
    const { publicUrl } = settings;
    const request = { startAt, endAt, channelId, publicUrl, after: page.after, to };
    text.messages += await readCsvPage(db, job, { request, onData: (data) => text.add(data) });
    return to;
  }

  async #failed(job: ExportJob, error: unknown): Promise<void> {
    const restMs = Math.min(MAX_REST_MS, 1_000 * 2 ** Math.min(job.failures, 20));
    this.#core.log.warn({ err: error, exportId: job.id, restMs }, "an export stopped for now");
    if (error instanceof StagedUploadLost) await restartExport(this.#core.db, job);
    await postponeExport(this.#core.db, job, restMs);
  }
}

/** Text that the next page is added to. */
function beginningOf({ draft, tail }: Progress): Buffer {
  return tail ?? (draft === null ? Buffer.from(CSV_HEAD) : NOTHING);
}

interface ReadPage {
  /** Its last message; null: nothing follows. */
  readonly to: string | null;
  /** Number of messages that were scanned. */
  readonly size: number;
  readonly bytes: number;
}

/** Number of messages for a page of the desired size, estimated from the page before. */
function nextSize({ size, bytes }: ReadPage): number {
  const fitting = Math.round((size * PAGE_BYTES) / Math.max(bytes, 1));
  return Math.max(1, Math.min(MAX_PAGE, size * 4, fitting));
}
