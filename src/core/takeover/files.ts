import { createReadStream } from "node:fs";
import type { Dispatcher } from "undici";
import { sql } from "../../database/database.ts";
import { downloadToDisk } from "../../platform/file/download.ts";
import { FilesUnavailable } from "../../platform/file/files.ts";
import { derivedId, firstIdAt, newSecret } from "../../platform/ids.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { Base } from "../base.ts";
import { MAX_FILE_BYTES } from "../content.ts";
import { markStored, type StoreOutcome } from "../file/files.ts";
import type { Takeover } from "./entities.ts";
import { TakeoverFailed } from "./failure.ts";

const PART = "files";
const PAGE = 100;
/** Downloads at a time. */
const CONCURRENT = 4;
const SHOWN_FILES = 500;

const EXTERNAL = sql(
  "dump_files",
  `select id, channel_id, content #>> '{attachment,url}' as url from messages
   where account_id = $1 and id > $2 and content ? 'isHistory' and content ? 'attachment' and file_id is null
   order by account_id, id limit ${PAGE}`,
);

interface ExternalFile {
  readonly id: string;
  readonly channel_id: string;
  readonly url: string;
}

/** How files are reached: only public addresses, through the takeover's proxy. */
export interface FileAccess {
  readonly dispatcher: Dispatcher;
  /** Where they are written before they are stored. */
  readonly directory: string;
}

/**
 * Stores the files of imported messages here, which until then link to the original. Idempotent: a message whose file is
 * here is not looked at again. Files that the original does not give any more are reported, and their messages keep the
 * links.
 */
export async function takeFiles(takeover: Takeover, access: FileAccess): Promise<void> {
  const { core, scope, report, isDryRun, progress } = takeover;
  const part = report.of(PART);
  let done = 0;
  for (let after = firstIdAt(0); part.missing === null; ) {
    const page = await core.db.query<ExternalFile>(EXTERNAL, [scope.accountId, after]);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const waiting = [...page];
    part.read += page.length;
    if (isDryRun) continue;
    const work = async (): Promise<void> => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        if (part.missing === null) await takeFile(takeover, access, file);
        done += 1;
        if (done % SHOWN_FILES === 0) progress(`files: ${done} tried, ${part.added} stored`);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, work));
  }
}

async function takeFile(
  takeover: Takeover,
  { dispatcher, directory }: FileAccess,
  { id, channel_id: channelId, url }: ExternalFile,
): Promise<void> {
  const { core, scope, report } = takeover;
  const downloaded = await downloadToDisk({ url, dispatcher, directory, maxBytes: MAX_FILE_BYTES }).catch(
    (error: unknown) => {
      if (error instanceof FilesUnavailable) throw new TakeoverFailed(error.message);
      report.leaveOut(PART, `${url.slice(0, 500)} of message ${id}`, messageOf(error));
      return null;
    },
  );
  if (downloaded === null) return;
  const fileId = derivedId("dump file", id);
  try {
    await core.files.put(fileId, createReadStream(downloaded.path), { maxBytes: MAX_FILE_BYTES });
  } finally {
    await downloaded.remove();
  }
  const place = { accountId: scope.accountId, id: fileId, messageId: id, channelId };
  const outcome = await show(core, place, downloaded);
  if (outcome === "stored") report.of(PART).added += 1;
  else await core.files.remove(fileId);
  if (outcome === "full")
    report.of(PART).missing = "QUOTA_FILE_BYTES is used up; raise it and repeat the import";
}

const INSERT = sql(
  "dump_file_add",
  `insert into files (account_id, id, channel_id, key, message_id, name, mime_type, state, source, due)
   values ($1, $2, $3, $4, $5, $6, $7, 'waiting', '{}', 'infinity') on conflict (account_id, id) do nothing`,
);
const SHOW = sql(
  "dump_file_show",
  `update messages set file_id = $3, content = content - 'attachment'
   where account_id = $1 and id = $2 and file_id is null`,
);

interface PlacedFile {
  readonly accountId: number;
  readonly id: string;
  readonly messageId: string;
  readonly channelId: string;
}

async function show(
  { db, settings }: Pick<Base, "db" | "settings">,
  { accountId, id, messageId, channelId }: PlacedFile,
  { size, mimeType, name }: { readonly size: number; readonly mimeType: string; readonly name: string },
): Promise<StoreOutcome> {
  await db.query(INSERT, [accountId, id, channelId, newSecret(24), messageId, name, mimeType]);
  const maxBytes = settings.quotas.fileBytes;
  const outcome = await markStored(db, { accountId, id }, { size, mimeType, name, maxBytes });
  if (outcome === "stored") await db.query(SHOW, [accountId, messageId, id]);
  return outcome;
}
