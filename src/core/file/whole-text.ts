import { Readable } from "node:stream";
import { sql } from "../../database/database.ts";
import { newSecret } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { forgetFile, markStored } from "./files.ts";
import { FileRoom, NoRoom } from "./room.ts";

export const TEXT_FILE = { name: "text.txt", mimeType: "text/plain; charset=utf-8" } as const;

const BEGIN = sql(
  "whole_text_begin",
  `insert into files (account_id, id, channel_id, key, name, mime_type, state, source, due)
   values ($1, $2, $3, $4, '${TEXT_FILE.name}', '${TEXT_FILE.mimeType}', 'waiting', '{"text": true}', 'infinity')
   on conflict do nothing`,
);

const IS_STORED = sql(
  "whole_text_is_stored",
  "select 1 from files where account_id = $1 and id = $2 and state = 'stored'",
);

/**
 * Stores a text as a file, to which a message is then linked by its id. Idempotent. False, with no effect, if the
 * account's quota of files has no room for it.
 */
export async function storeWholeText(
  core: Base,
  file: { readonly accountId: number; readonly channelId: string; readonly id: string },
  text: string,
): Promise<boolean> {
  const { accountId, channelId, id } = file;
  const maxBytes = core.settings.quotas.fileBytes;
  // A repeated text has its room already.
  if ((await core.db.query(IS_STORED, [accountId, id])).length > 0) return true;
  const content = Buffer.from(text);
  await core.db.query(BEGIN, [accountId, id, channelId, newSecret(24)]);
  try {
    await new FileRoom(core, { accountId, id, attempts: 0 }).require(content.length, true);
    await core.files.put(id, Readable.from([content]), { maxBytes: content.length });
    const outcome = await markStored(core.db, file, { size: content.length, ...TEXT_FILE, maxBytes });
    if (outcome === "stored") return true;
  } catch (error) {
    if (!(error instanceof NoRoom)) throw error;
  }
  await core.files.remove(id);
  await forgetFile(core.db, file);
  return false;
}
