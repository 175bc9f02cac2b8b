import { sql } from "../../database/database.ts";
import { newId, newSecret } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import type { Cache } from "../cache.ts";
import { jsonRows } from "../json-rows.ts";
import type { Scope } from "../scope.ts";
import type { FileRef } from "../transport/events.ts";

/** The picture of a chat's person or group, as the session can download it. */
export interface Avatar extends Scope {
  readonly chat: string;
  readonly channelId: string;
  readonly file: FileRef;
}

export interface HasAvatars {
  readonly caches: {
    /** Chats whose picture was requested recently. */
    readonly avatars: Cache<string, true>;
  };
}

// A picture that does not exist counts too, so that it is not requested with every message.
const ASK = sql(
  "avatars_ask",
  `insert into files (account_id, id, channel_id, key, name, mime_type, size, state, source, avatar_of)
   select i.account_id, i.id, i.channel_id, i.key, i.name, i.mime_type, i.size, 'waiting', i.source, i.chat
   from json_to_recordset($1::json) as i(
     account_id bigint, id uuid, channel_id uuid, key text, name text, mime_type text, size bigint, source jsonb, chat uuid)
   where not exists (
     select 1 from files f
     where f.account_id = any(array[i.account_id]) and f.avatar_of = i.chat and f.created_at > now() - interval '7 days')
   returning avatar_of`,
);

/**
 * Schedules downloads of pictures that were not requested within a week. `chats.avatar_file_id` refers to them once
 * they are stored. Free for chats that this process has handled within the hour. Throws if the database is
 * unavailable; the next message then retries. Returns the chats whose picture is requested for the first time.
 */
export async function askForAvatars(core: Base & HasAvatars, avatars: readonly Avatar[]): Promise<string[]> {
  const { avatars: asked } = core.caches;
  const wanted = new Map(
    avatars.filter(({ chat }) => asked.get(chat) === undefined).map((avatar) => [avatar.chat, avatar]),
  );
  if (wanted.size === 0) return [];
  for (const chat of wanted.keys()) asked.set(chat, true);
  try {
    const added = await core.db.query<{ avatar_of: string }>(ASK, [
      jsonRows([...wanted.values()].map(fileRow)),
    ]);
    if (added.length > 0) core.signals.notify("files");
    return added.map((row) => row.avatar_of);
  } catch (error) {
    for (const chat of wanted.keys()) asked.delete(chat);
    throw error;
  }
}

function fileRow({ accountId, chat, channelId, file }: Avatar): object {
  return {
    account_id: accountId,
    id: newId(),
    channel_id: channelId,
    key: newSecret(24),
    name: file.name,
    mime_type: file.mimeType,
    size: file.size,
    source: file,
    chat,
  };
}
