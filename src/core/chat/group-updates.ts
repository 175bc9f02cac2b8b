import { type Queryable, sql } from "../../database/database.ts";
import { safeName } from "../../platform/file/download-name.ts";
import { newId, newSecret } from "../../platform/ids.ts";
import { storedName } from "../content.ts";
import { fileUrl } from "../file/file-url.ts";
import { jsonRows, storable } from "../json-rows.ts";
import type { Fact, GroupFact } from "../payload/facts.ts";
import type { ChatType } from "../transport/definition.ts";
import type { FileRef, GroupEvent, MemberChange, MembersEvent } from "../transport/events.ts";

/** A group update with its chat. */
interface GroupUpdate<E> {
  readonly accountId: number;
  readonly channelId: string;
  readonly chat: string;
  readonly event: E;
}

/**
 * Stores a group's new name or picture. Returns what to publish: nothing if it was published before or nothing
 * changed. `publicUrl` is the base of links to stored files.
 */
export async function recordGroup(
  tx: Queryable,
  publicUrl: string,
  update: GroupUpdate<GroupEvent>,
): Promise<Fact[]> {
  const { event } = update;
  if (event.isSeen !== true && !(await isFirst(tx, update))) return [];
  const renamed = event.title === undefined ? null : await rename(tx, update, event.title);
  const pictured = event.picture === undefined ? null : await setPicture(tx, update, event.picture);
  const changes = [
    ...(renamed === null ? [] : (["name"] as const)),
    ...(pictured === null ? [] : (["avatar"] as const)),
  ];
  if (changes.length === 0) return [];
  const fact = await factOf(tx, publicUrl, update);
  const avatarUri = pictured === null ? fact.avatarUri : fileUrl(publicUrl, pictured.key, pictured.name);
  const group = { ...fact, avatarUri };
  return [{ kind: "group", group, changes: { changes, oldName: renamed?.old_name ?? null } }];
}

/** Stores joins, departures and changes of role. Returns what to publish: only actual changes. */
export async function recordMembers(
  tx: Queryable,
  publicUrl: string,
  update: GroupUpdate<MembersEvent>,
): Promise<Fact[]> {
  if (!(await isFirst(tx, update))) return [];
  const members = await changedMembers(tx, update);
  if (members.length === 0) return [];
  return [{ kind: "members", group: await factOf(tx, publicUrl, update), members }];
}

// A group without messages is stored too, so that later updates find it.
const REMEMBER = sql(
  "group_change_remember",
  `with chat as (
     insert into chats (account_id, id, channel_id, chat_type, chat_id, name) values ($1, $3, $2, $4, $5, $6)
     on conflict do nothing)
   insert into group_changes (account_id, channel_id, chat, external_id) values ($1, $2, $3, $7)
   on conflict do nothing returning chat`,
);

/** Whether the messenger reports this for the first time. */
async function isFirst(tx: Queryable, update: GroupUpdate<GroupEvent | MembersEvent>): Promise<boolean> {
  const { accountId, channelId, chat, event } = update;
  const { chatType, chatId, externalId } = event.ref;
  const name = event.kind === "members" ? storable(event.title) : "";
  const values = [
    accountId,
    channelId,
    chat,
    chatType,
    chatId,
    name,
    storable(`${event.kind}:${externalId}`),
  ];
  return (await tx.query(REMEMBER, values)).length > 0;
}

// A message may have brought the new name before; the change is published nevertheless, unless the name was only
// looked up.
const RENAME = sql(
  "group_rename",
  `with before as materialized (
     select name, title, title_at from chats where account_id = $1 and id = $2 for update)
   update chats c set name = $3, title = $3, title_at = $4 from before b
   where c.account_id = $1 and c.id = $2 and (b.title_at is null or b.title_at <= $4)
     and ($3 <> b.name or case when $5 then $3 <> coalesce(b.title, b.name) else $3 is distinct from b.title end)
   returning nullif(coalesce(nullif(b.title, $3), nullif(b.name, $3)), '') as old_name`,
);

/** Null if the group already had this name, or has been renamed again since. */
async function rename(
  tx: Queryable,
  { accountId, chat, event }: GroupUpdate<GroupEvent>,
  title: string,
): Promise<{ readonly old_name: string | null } | null> {
  const values = [accountId, chat, storable(title), event.at, event.isSeen === true];
  const [row] = await tx.query<{ old_name: string | null }>(RENAME, values);
  return row ?? null;
}

const ADD_PICTURE = sql(
  "group_picture_add",
  `insert into files (account_id, id, channel_id, key, name, mime_type, size, state, source, avatar_of)
   select r.account_id, r.id, r.channel_id, r.key, r.name, r.mime_type, r.size, 'waiting', r.source, $2::uuid
   from json_to_recordset($1::json) as r(
     account_id bigint, id uuid, channel_id uuid, key text, name text, mime_type text, size bigint, source jsonb)`,
);
// A picture that is still being downloaded must not replace the removal.
const REMOVE_PICTURE = sql(
  "group_picture_remove",
  `with fetched as (
     update files set avatar_of = null where account_id = $1 and avatar_of = $2 and state = 'waiting')
   update chats set avatar_file_id = null where account_id = $1 and id = $2`,
);

/** Returns the parts of the link: the file is downloaded later, and until then the chat keeps its old picture. */
async function setPicture(
  tx: Queryable,
  { accountId, channelId, chat }: GroupUpdate<GroupEvent>,
  file: FileRef | null,
): Promise<{ readonly key: string | null; readonly name: string | null }> {
  if (file === null) {
    await tx.query(REMOVE_PICTURE, [accountId, chat]);
    return { key: null, name: null };
  }
  const key = newSecret(24);
  const { mimeType: mime_type, size } = file;
  const name = storedName({ ...file, name: safeName(file.name ?? "") }, "image");
  const about = { key, name, mime_type, size, source: file };
  await tx.query(ADD_PICTURE, [
    jsonRows([{ account_id: accountId, id: newId(), channel_id: channelId, ...about }]),
    chat,
  ]);
  return { key, name };
}

// Repeated joins or departures are not published again, whatever their kind. A change that is older than the stored
// one is not published at all.
const CHANGE_MEMBERS = sql(
  "group_members_change",
  `insert into group_members as m (account_id, channel_id, chat, person, change, at)
   select $1::bigint, $2::uuid, $3::uuid, r.person, r.change, $4::timestamptz from json_to_recordset($5::json) as r(person text, change text)
   on conflict (account_id, channel_id, chat, person) do update
     set change = excluded.change, at = excluded.at, reported_at = now()
   where m.at <= excluded.at
     and case excluded.change when 'added' then m.change in ('removed', 'left')
                              when 'removed' then m.change not in ('removed', 'left')
                              when 'left' then m.change not in ('removed', 'left')
                              else m.change <> excluded.change end
   returning person`,
);

async function changedMembers(
  tx: Queryable,
  { accountId, channelId, chat, event }: GroupUpdate<MembersEvent>,
): Promise<MemberChange[]> {
  // If a person is listed twice, the last entry counts.
  const byPerson = new Map(event.members.map((member) => [storable(member.person.id), member]));
  const rows = [...byPerson].map(([person, { change }]) => ({ person, change }));
  const values = [accountId, channelId, chat, event.at, jsonRows(rows)];
  const changed = new Set(
    (await tx.query<{ person: string }>(CHANGE_MEMBERS, values)).map((row) => row.person),
  );
  return [...byPerson].filter(([person]) => changed.has(person)).map(([, member]) => member);
}

const FACT = sql(
  "group_fact",
  `select c.chat_type, c.chat_id, c.name, f.key, f.name as file_name
   from chats c
   left join files f on f.account_id = c.account_id and f.id = c.avatar_file_id and f.state = 'stored'
   where c.account_id = $1 and c.id = $2`,
);
interface FactRow {
  readonly chat_type: ChatType;
  readonly chat_id: string;
  readonly name: string;
  readonly key: string | null;
  readonly file_name: string | null;
}

async function factOf(
  tx: Queryable,
  publicUrl: string,
  { accountId, channelId, chat, event }: GroupUpdate<GroupEvent | MembersEvent>,
): Promise<GroupFact> {
  const [row] = await tx.query<FactRow>(FACT, [accountId, chat]);
  const { chatType, chatId } = event.ref;
  const { at, by } = event;
  const { chat_type, chat_id, name, key, file_name } = row ?? {
    chat_type: chatType,
    chat_id: chatId,
    name: "",
    key: null,
    file_name: null,
  };
  return {
    accountId,
    channelId,
    chat,
    chatType: chat_type,
    chatId: chat_id,
    name: (event.kind === "members" && event.title) || name,
    avatarUri: fileUrl(publicUrl, key, file_name),
    at,
    by: by ?? null,
  };
}
