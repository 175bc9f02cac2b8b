import type { Core } from "../core/core.ts";
import { CSV_HEAD, type CsvPage, readCsvPage } from "../core/export/csv.ts";
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
import { DraftLost } from "../platform/draft.ts";
import type { Lease } from "./lease.ts";
import { Pump } from "./pump.ts";

/** At a time on one node, each of another account. */
const MAX_EXPORTS = 2;
/** After that long an export goes to the end of the line. */
const TURN_MS = 20_000;
/** Stored at a time, with the progress: at most this is written anew after a crash. */
const CHUNK_BYTES = 8 * 1024 * 1024;
const PAGE_BYTES = 1024 * 1024;
const FIRST_PAGE = 100;
const MAX_PAGE = 4_000;
const MAX_REST_MS = 300_000;

export interface ExporterOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  /** How long files are kept, in milliseconds. */
  readonly retentionMs: number;
}

/** Writes exports of messages: page by page, each chunk stored before the next, so that any node can go on with it. */
export class Exporter {
  readonly #options: ExporterOptions;
  readonly #core: Core;
  readonly #running = new Map<Promise<void>, string>();
  readonly #pump: Pump;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#pump = new Pump({
      wakes: this.#core.wakes,
      topic: "exports",
      look: () => this.#claim(),
      onError: (error) => this.#core.log.debug({ err: error }, "exports could not be looked up"),
    });
  }

  start(): void {
    this.#pump.start();
  }

  /** Takes nothing new and resolves when what is under way was given back. */
  async stop(): Promise<void> {
    await this.#pump.stop();
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
        this.#pump.now();
      });
    this.#running.set(running, job.id);
  }

  async #work(job: ExportJob): Promise<void> {
    const progress = await this.#write(job);
    if (progress === "lost") return;
    if (progress === "again") return releaseExport(this.#core.db, job);
    const { draft, messages } = progress;
    if (draft === null) throw new Error("An export without a beginning cannot be complete");
    await this.#core.files.complete(job.id, draft);
    if (!(await finishExport(this.#core, job, this.#options.retentionMs))) return;
    const { accountId, id: exportId } = job;
    this.#core.log.info({ accountId, exportId, messages, bytes: draft.bytes }, "an export is complete");
  }

  /** Goes on where the export was saved last, to its end or to that of the turn. */
  async #write(job: ExportJob): Promise<Progress | "again" | "lost"> {
    const { db, files, clock } = this.#core;
    const endsAt = clock.monotonicMs() + TURN_MS;
    let progress = job.progress;
    const chunk = new Chunk(progress.draft === null ? CSV_HEAD : "");
    for await (const page of this.#pages(job)) {
      if (this.#pump.isStopping) return "again";
      chunk.add(page);
      if (chunk.bytes < CHUNK_BYTES && !page.isLast) continue;
      if (!this.#isOurs(job)) return "again";
      const draft = await files.append(job.id, progress.draft, { writer: job.turn, bytes: chunk.take() });
      progress = {
        draft,
        afterId: page.last ?? progress.afterId,
        messages: progress.messages + chunk.takeMessages(),
        isRead: page.isLast,
      };
      if (!(await saveProgress(db, job, progress))) return "lost";
      if (!page.isLast && clock.monotonicMs() >= endsAt) return "again";
    }
    return progress;
  }

  /** The next page is read while the last one is written. */
  async *#pages(job: ExportJob): AsyncGenerator<CsvPage> {
    if (job.progress.isRead) return;
    let limit = FIRST_PAGE;
    let next = this.#read(job, job.progress.afterId, limit);
    for (;;) {
      const page = await next;
      if (page.isLast || page.last === null) return yield page;
      limit = nextLimit(limit, page.text.length);
      next = this.#read(job, page.last, limit);
      // Whoever ends early does not wait for it.
      next.catch(() => undefined);
      yield page;
    }
  }

  #read(job: ExportJob, after: string, limit: number): Promise<CsvPage> {
    const { startAt, endAt, channelId } = job;
    const { publicUrl } = this.#core.settings;
    return readCsvPage(this.#core.db, job, { startAt, endAt, channelId, publicUrl, after, limit });
  }

  #isOurs(job: ExportJob): boolean {
    const lease = this.#options.lease();
    return lease.isValid() && lease.nodeId === job.nodeId;
  }

  async #failed(job: ExportJob, error: unknown): Promise<void> {
    const restMs = Math.min(MAX_REST_MS, 1_000 * 2 ** Math.min(job.failures, 20));
    this.#core.log.warn({ err: error, exportId: job.id, restMs }, "an export stopped for now");
    if (error instanceof DraftLost) await restartExport(this.#core.db, job);
    await postponeExport(this.#core.db, job, restMs);
  }
}

/** As many messages as make a page of the wished size, going by the last page; where there are none, more. */
function nextLimit(limit: number, bytes: number): number {
  const fitting = Math.round((limit * PAGE_BYTES) / Math.max(bytes, 1));
  return Math.max(1, Math.min(MAX_PAGE, limit * 4, fitting));
}

/** Lines that are not stored yet. */
class Chunk {
  #pieces: Buffer[] = [];
  #messages = 0;
  bytes = 0;

  constructor(head: string) {
    this.#push(head);
  }

  add({ text, messages }: CsvPage): void {
    this.#push(text);
    this.#messages += messages;
  }

  #push(text: string): void {
    const piece = Buffer.from(text);
    this.#pieces.push(piece);
    this.bytes += piece.length;
  }

  take(): readonly Buffer[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.bytes = 0;
    return pieces;
  }

  takeMessages(): number {
    const messages = this.#messages;
    this.#messages = 0;
    return messages;
  }
}
