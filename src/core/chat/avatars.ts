import { sql } from "../../database/database.ts";
import { newId, newSecret } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import type { Cache } from "../cache.ts";
import { jsonRows } from "../json-rows.ts";
import type { Scope } from "../scope.ts";
import type { FileRef } from "../transport/events.ts";

export interface AskedAvatar {
  readonly chat: string;
  /** An earlier picture is shown meanwhile. */
  readonly isShown: boolean;
}

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

// A picture that does not exist counts too, so that it is not requested with every message; but it may exist later.
const ASK = sql(
  "avatars_ask",
  `insert into files (account_id, id, channel_id, key, mime_type, size, state, source, avatar_of)
   select i.account_id, i.id, i.channel_id, i.key, i.mime_type, i.size, 'waiting', i.source, i.chat
   from json_to_recordset($1::json) as i(
     account_id bigint, id uuid, channel_id uuid, key text, mime_type text, size bigint, source jsonb, chat uuid)
   where (
     select true from files f
     where f.account_id = any(array[i.account_id]) and f.avatar_of = i.chat
       and f.created_at > now() - case f.state when 'failed' then interval '6 hours' else interval '7 days' end
     limit 1) is null
   returning avatar_of, exists (
     select 1 from chats c
     where c.account_id = any(array[files.account_id]) and c.id = avatar_of and c.avatar_file_id is not null) as is_shown`,
);

/**
 * Schedules downloads of pictures that were not requested within a week, or not within six hours if the request failed:
 * a person may add a picture later. `chats.avatar_file_id` refers to them once they are stored. Free for chats that this
 * process has handled within the hour. Throws if the database is unavailable; the next message then retries. Returns
 * the chats whose picture is requested now.
 */
export async function askForAvatars(
  core: Base & HasAvatars,
  avatars: readonly Avatar[],
): Promise<AskedAvatar[]> {
  const { avatars: asked } = core.caches;
  const wanted = new Map(
    avatars.filter(({ chat }) => asked.get(chat) === undefined).map((avatar) => [avatar.chat, avatar]),
  );
  if (wanted.size === 0) return [];
  for (const chat of wanted.keys()) asked.set(chat, true);
  try {
    const added = await core.db.query<{ avatar_of: string; is_shown: boolean }>(ASK, [
      jsonRows([...wanted.values()].map(fileRow)),
    ]);
    if (added.length > 0) core.signals.notify("files");
    return added.map((row) => ({ chat: row.avatar_of, isShown: row.is_shown }));
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
    mime_type: file.mimeType,
    size: file.size,
    source: file,
    chat,
  };
}
