import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { TextDecoder } from "node:util";
import { isDataFault, isDuplicate, sql } from "../../database/database.ts";
import { fields, text } from "../../platform/foreign/foreign-json.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { Base } from "../base.ts";
import { everLinked } from "../channel/adopt.ts";
import { clearChatCache, type HasChats } from "../chat/chats.ts";
import { type DumpedMessage, storeDump } from "../history/store-dump.ts";
import { retryUntilStored } from "../retry.ts";
import { CsvReader, type CsvRecord } from "./csv.ts";
import { DumpOrder } from "./dump-order.ts";
import {
  type DumpChannel,
  DumpHeaderFault,
  type DumpMessage,
  type DumpReader,
  dumpReader,
} from "./dump-row.ts";
import { type Takeover, tolerating } from "./entities.ts";
import { TakeoverFailed } from "./failure.ts";

/** Where the messages come from. */
export type DumpSource =
  /** A file that the original has made. `channelId`: of all its rows; null: they name it. */
  | { readonly path: string; readonly channelId: string | null }
  /** The original is asked for one dump of each channel. */
  | { readonly from: Date; readonly to: Date };

export interface DumpSettings {
  /** A label of the Encoding Standard, such as `windows-1251`; null: UTF-8, which is checked, or UTF-16 by its mark. */
  readonly encoding: string | null;
  /** Minutes east of UTC, for times without a zone. */
  readonly utcOffsetMinutes: number;
  /** The first faulty row ends the import. */
  readonly isStrict: boolean;
}

type MessageTakeover = Takeover & { readonly core: Base & HasChats };

/** Rows of one transaction. */
const BATCH = 1_000;
/** How often progress is shown, in rows. */
const SHOWN_ROWS = 50_000;

/**
 * Stores the messages of a dump as history. Holds one batch in memory, whatever the size of the dump. Idempotent: after a
 * crash the dump is read again, and what is stored is recognised.
 */
export async function takeMessages(
  takeover: MessageTakeover,
  channels: readonly DumpChannel[],
  { source, settings }: { readonly source: DumpSource; readonly settings: DumpSettings },
): Promise<void> {
  const linked = await everLinked(takeover.core, takeover.scope);
  const run = (channelId: string | null, open: () => Promise<Readable>, name: string): Promise<void> =>
    new DumpRun(takeover, { channels, channelId, linked, settings, name }).run(open);
  if ("path" in source) return run(source.channelId, async () => createReadStream(source.path), source.path);
  await tolerating(takeover, "messages", async () => {
    for (const { id } of channels)
      await run(id, () => requestDump(takeover, { ...source, channelId: id }), `the dump of channel ${id}`);
  });
}

const POLL_MS = 5_000;
/** How often progress is shown while the original makes a dump. */
const SHOWN_POLLS = 12;
const job = fields({ data: fields({ export_id: text, status: text, url: text }) });

/** Asks the original for a dump, waits for it, and opens it. */
async function requestDump(
  { original, progress }: Takeover,
  { from, to, channelId }: { readonly from: Date; readonly to: Date; readonly channelId: string },
): Promise<Readable> {
  progress(`messages: asking for the dump of channel ${channelId}`);
  const body = { start_at: from.toISOString(), end_at: to.toISOString(), channel_id: channelId };
  const { export_id: exportId } = job(await original.post("/v2/messages/messages_dump", body))?.data ?? {};
  if (exportId === undefined)
    throw new TakeoverFailed("The original responds to the request for a dump without an id");
  for (let polls = 1; ; polls += 1) {
    const { status, url } =
      job(await original.get(`/v2/messages/messages_dump/${encodeURIComponent(exportId)}`))?.data ?? {};
    // Also if it could not tell the CRM of it.
    if (url !== undefined && (status === "done" || status === "webhook_failed")) return original.open(url);
    if (status !== "pending" && status !== "processing")
      throw new TakeoverFailed(`The dump ${exportId} has the status ${status ?? "none"}`);
    if (polls % SHOWN_POLLS === 0)
      progress(
        `messages: the dump of channel ${channelId} is ${status} for ${(polls * POLL_MS) / 60_000} min`,
      );
    await sleep(POLL_MS);
  }
}

interface RunOptions {
  readonly channels: readonly DumpChannel[];
  readonly channelId: string | null;
  readonly linked: ReadonlySet<string>;
  readonly settings: DumpSettings;
  readonly name: string;
}

interface NumberedMessage {
  readonly line: number;
  readonly message: DumpMessage;
}

interface PlacedMessage {
  readonly line: number;
  readonly message: DumpedMessage;
}

const KNOWN = sql("dump_known", "select id from messages where account_id = $1 and id = any($2::uuid[])");

/** What a CSV file may be packed into, by its first bytes. */
const ARCHIVES = [
  { mark: Buffer.from("PK\u0003\u0004", "latin1"), shown: "a ZIP archive or a workbook" },
  { mark: Buffer.from([0x1f, 0x8b]), shown: "compressed with gzip" },
];

/** By the mark at the start of the text. */
function encodingByMark(first: Buffer): string | null {
  if (first[0] === 0xff && first[1] === 0xfe) return "utf-16le";
  return first[0] === 0xfe && first[1] === 0xff ? "utf-16be" : null;
}

/** Of a file or a connection, as opposed to a failure of the database. */
function isReadFailure(error: unknown): error is Error {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^(E[A-Z]+|UND_ERR_[A-Z_]+|ERR_STREAM_[A-Z_]+)$/.test(code);
}

/** One dump, from its first byte to its last. */
class DumpRun {
  readonly #takeover: MessageTakeover;
  readonly #options: RunOptions;
  readonly #csv = new CsvReader();
  readonly #order = new DumpOrder();
  readonly #began = performance.now();
  #reader: DumpReader | null = null;
  #batch: NumberedMessage[] = [];
  #rows = 0;

  constructor(takeover: MessageTakeover, options: RunOptions) {
    this.#takeover = takeover;
    this.#options = options;
  }

  async run(open: () => Promise<Readable>): Promise<void> {
    const stream = await open();
    let decoder: TextDecoder | null = null;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        decoder ??= this.#decoderFor(chunk);
        await this.#take(this.#csv.read(decoder.decode(chunk, { stream: true })));
      }
    } catch (error) {
      if (error instanceof TakeoverFailed) throw error;
      if (error instanceof DumpHeaderFault) throw new TakeoverFailed(error.message);
      if (!isReadFailure(error)) throw error;
      throw new TakeoverFailed(`${this.#options.name} cannot be read: ${error.message}`);
    }
    await this.#take(this.#csv.read(decoder?.decode() ?? ""));
    await this.#take(this.#csv.end());
    await this.#store();
    this.#show();
  }

  /** Most dumps that are not UTF-8 show it in their first kilobytes. */
  #decoderFor(first: Buffer): TextDecoder {
    const { settings, name } = this.#options;
    const archive = ARCHIVES.find(({ mark }) => first.subarray(0, mark.length).equals(mark));
    if (archive !== undefined) throw new TakeoverFailed(`${name} is ${archive.shown}, not a CSV file`);
    const given = settings.encoding ?? encodingByMark(first);
    if (given !== null) return new TextDecoder(given);
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(first, { stream: true });
    } catch {
      throw new TakeoverFailed(
        `${name} is not UTF-8. Name its encoding with --encoding, such as windows-1251`,
      );
    }
    return new TextDecoder("utf-8");
  }

  async #take(records: readonly CsvRecord[]): Promise<void> {
    for (const record of records) {
      this.#add(record);
      if (this.#batch.length >= BATCH) await this.#store();
    }
  }

  #add(record: CsvRecord): void {
    const { core, report } = this.#takeover;
    if (this.#reader === null) {
      if ("fault" in record) throw new TakeoverFailed(`The header of ${this.#options.name}: ${record.fault}`);
      const { channels, channelId, settings } = this.#options;
      const days = core.settings.messageRetentionDays;
      const now = core.clock.now();
      this.#reader = dumpReader(record.cells, {
        channels,
        channelId,
        now,
        utcOffsetMinutes: settings.utcOffsetMinutes,
        since: days === 0 ? null : new Date(now.getTime() - days * 86_400_000),
      });
      return;
    }
    this.#rows += 1;
    report.of("messages").read += 1;
    const row = "fault" in record ? record : this.#reader(record.cells);
    if ("message" in row) this.#batch.push({ line: record.line, message: row.message });
    else this.#refuse(record.line, row.fault);
    if (this.#rows % SHOWN_ROWS === 0) this.#show();
  }

  #refuse(line: number, fault: string): void {
    const { name, settings } = this.#options;
    if (settings.isStrict) throw new TakeoverFailed(`Line ${line} of ${name}: ${fault}`);
    this.#takeover.report.leaveOut("messages", `line ${line}`, fault);
  }

  async #store(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    if (batch.length === 0) return;
    const places = this.#order.place(batch.map(({ message }) => message));
    const placed = batch.map(({ line, message }, index): PlacedMessage => {
      const { id = "", place = 0 } = places[index] ?? {};
      const mayBeKnown = this.#options.linked.has(message.channelId);
      return { line, message: { ...message, id, place, mayBeKnown } };
    });
    await (this.#takeover.isDryRun ? this.#countNew(placed) : this.#storePlaced(placed));
  }

  async #storePlaced(placed: readonly PlacedMessage[]): Promise<void> {
    const { core, scope } = this.#takeover;
    const messages = placed.map(({ message }) => message);
    try {
      const added = await retryUntilStored(
        () => storeDump(core, scope, messages),
        () => false,
      );
      this.#count(added, placed.length);
    } catch (error) {
      if (isDuplicate(error)) {
        // A node has stored a new chat in the meantime: now it is found.
        clearChatCache(core);
        return this.#storePlaced(placed);
      }
      if (!isDataFault(error)) throw error;
      await this.#storeParts(placed, messageOf(error));
    }
  }

  /** The tables refuse one of the messages: the others are stored. */
  async #storeParts(placed: readonly PlacedMessage[], reason: string): Promise<void> {
    const [first] = placed;
    if (placed.length === 1 && first !== undefined)
      return this.#refuse(first.line, `it cannot be stored: ${reason}`);
    const middle = Math.ceil(placed.length / 2);
    await this.#storePlaced(placed.slice(0, middle));
    await this.#storePlaced(placed.slice(middle));
  }

  async #countNew(placed: readonly PlacedMessage[]): Promise<void> {
    const { core, scope } = this.#takeover;
    const ids = [...new Set(placed.map(({ message }) => message.id))];
    const known = await core.db.query(KNOWN, [scope.accountId, ids]);
    this.#count(ids.length - known.length, placed.length);
  }

  #count(added: number, all: number): void {
    const part = this.#takeover.report.of("messages");
    part.added += added;
    part.same += all - added;
  }

  #show(): void {
    const seconds = (performance.now() - this.#began) / 1_000;
    const rate = Math.round(this.#rows / Math.max(seconds, 0.001));
    this.#takeover.progress(`messages: ${this.#rows} rows of ${this.#options.name}, ${rate} a second`);
  }
}
