import { type Queryable, sql } from "../../database/database.ts";
import { HAS_NICKNAME } from "../chat/nickname.ts";
import type { OutgoingContent } from "../content.ts";
import { jsonRows } from "../json-rows.ts";
import type { ChatMark } from "../transport/definition.ts";
import type { MessageStatus, MessageType } from "../transport/message.ts";
import { exchangedMessages } from "./exchanged.ts";

/** A chat of a channel that this node owns. */
export interface ChatToSend {
  readonly accountId: number;
  readonly channelId: string;
  readonly epoch: number;
  /** Our id. */
  readonly chat: string;
  /** First contacts are limited, so each job must say whether it is one. */
  readonly mindsFirstContacts: boolean;
}

/** The waiting jobs of a chat. */
export interface ChatJobs {
  /** The first jobs, in order; large ones are cut off, so there may be fewer than `found`. */
  readonly jobs: readonly SendJob[];
  /** Number of waiting jobs, up to the limit of the read. */
  readonly found: number;
  /** Bytes of their texts and contents. */
  readonly bytes: number;
  /** How long the chat has to rest before its next attempt; 0: no rest. */
  readonly restMs: number;
}

export interface SendJob extends JobKey {
  readonly kind: "send" | ChangeKind;
  readonly change: StoredChange | null;
  /** Not null: a request for this job may have been sent before. */
  readonly startedEpoch: number | null;
  /** Already marked as started for its next request. */
  readonly isMarked?: true;
  /** Milliseconds since the first request that may have taken effect; null: there was none. */
  readonly unsureMs: number | null;
  readonly attempts: number;
  readonly messageId: string;
  readonly chatType: string;
  readonly chatId: string;
  readonly type: MessageType;
  readonly status: MessageStatus;
  readonly text: string | null;
  readonly content: OutgoingContent;
  readonly externalId: string | null;
  /** Of the message of a `react`. */
  readonly direction?: "in" | "out" | "echo";
  readonly senderId?: string | null;
  readonly quotedExternalId: string | null;
  /** The quoted message was deleted. */
  readonly isQuotedDeleted: boolean;
  /** The post that the quoted message comments on; null if it is no comment. */
  readonly quotedPost: string | null;
  /** The person never wrote, and no message of ours has arrived; null if the read did not ask. */
  readonly isFirstContact: boolean | null;
  /** Milliseconds since the person last wrote, except comments; null: never. */
  readonly quietMs: number | null;
}

export type ChangeKind = "edit" | "remove" | "react" | "mark";

/** What `send_jobs.change` holds for an edit, for a reaction (`emoji`; absent: it is removed), or for a mark of the chat. */
export interface StoredChange {
  readonly mark?: ChatMark;
  /** Until when a mark is worth showing, ISO 8601. Absent: somebody waits for its outcome. */
  readonly until?: string;
  readonly emoji?: string;
  readonly text?: string;
  readonly attachment?: NonNullable<OutgoingContent["attachment"]>;
  readonly authorId?: string;
}

const metInAnotherChat = (isPerson: string): string => `(
  select true from (
    select * from chats n where n.account_id = c.account_id and n.channel_id = c.channel_id and ${isPerson} offset 0) k
  where k.chat_type = c.chat_type
    and (k.last_inbound_at is not null or ${exchangedMessages("k.account_id", "k.id")} is not null)
  limit 1)`;
// The person of a chat that is stored under a username or phone may be known from another chat. With "or", or with the
// type as a condition of the inner query, the planner may read all chats of the channel.
const KNOWN_ELSEWHERE = `case left(c.chat_id, 1)
    when '@' then ${metInAnotherChat("lower(n.username) = lower(substr(c.chat_id, 2))")}
    else ${metInAnotherChat("n.phone = substr(c.chat_id, 2)")} end`;
const IS_FIRST_CONTACT = `c.last_inbound_at is null and ${exchangedMessages("j.account_id", "j.chat")} is null
  and (not ${HAS_NICKNAME} or ${KNOWN_ELSEWHERE} is null)`;

/** Limit of one chat's texts and contents; its first job is read in any case. */
const MAX_CHAT_BYTES = 256_000;

// A chat is always read from its first job, so that a job committed late keeps its place. Jobs store the size of
// their messages, so that messages above the limit are not read.
const READ = sql(
  "send_jobs_read",
  `with wanted as (
     select * from json_to_recordset($1::json) as r(
       place int, account_id bigint, channel_id uuid, epoch bigint, chat uuid, asks boolean)
   ), sized as (
     select w.place, w.asks, j.*, (w.place = 0 and j.job_place = 1)
              or sum(j.bytes) over (order by j.job_place, w.place rows unbounded preceding) <= $4 as fits
     from wanted w
     join channels h on h.id = any(array[w.channel_id]) and h.epoch = w.epoch and h.owner = $2 and h.deleted_at is null
     cross join lateral (
       select *, sum(bytes) over of_chat as chat_bytes, row_number() over of_chat as job_place, count(*) over () as found
       from (select * from send_jobs s where s.account_id = w.account_id and s.channel_id = w.channel_id and s.chat = w.chat
             order by s.id limit $3) s
       window of_chat as (order by id rows unbounded preceding)) j
     where j.job_place = 1 or j.chat_bytes <= ${MAX_CHAT_BYTES}
   )
   select j.place, j.found, j.fits, j.id, j.chat, j.kind, j.change, j.started_epoch,
          case when j.held_by = 'retry' then (extract(epoch from j.not_before - now()) * 1000)::float8 end as rest_ms,
          (extract(epoch from now() - j.unsure_since) * 1000)::float8 as unsure_ms, j.attempts, j.bytes, j.account_id,
          j.channel_id, j.message_id, c.chat_type, c.chat_id, m.type, m.status, m.text, m.content, m.external_id,
          m.direction, m.sender ->> 'id' as sender_id,
          q.external_id as quoted_external_id, q.deleted_at is not null as quoted_deleted,
          q.content -> 'post' ->> 'id' as quoted_post,
          case when j.asks then ${IS_FIRST_CONTACT} end as is_first_contact,
          (extract(epoch from now() - c.last_direct_at) * 1000)::float8 as quiet_ms
   from sized j
   left join messages m on m.account_id = any(array[j.account_id]) and m.id = j.message_id
     and j.fits
   left join chats c on c.account_id = any(array[j.account_id]) and c.id = j.chat
   left join messages q on q.account_id = any(array[m.account_id]) and q.id = m.quoted_id
   order by j.id`,
);

/**
 * The first jobs of each chat, in the order of the chats; null for a chat that was left out because the result would
 * exceed `maxBytes`. The first chat is read in any case. Read-only: only a channel's owner sends, and for a node that
 * lost a channel its chats are empty.
 */
export async function readJobs(
  db: Queryable,
  nodeId: string,
  chats: readonly ChatToSend[],
  { jobsPerChat, maxBytes }: { readonly jobsPerChat: number; readonly maxBytes: number },
): Promise<(ChatJobs | null)[]> {
  const wanted = chats.map(({ accountId, channelId, epoch, chat, mindsFirstContacts }, place) => ({
    place,
    account_id: accountId,
    channel_id: channelId,
    epoch,
    chat,
    asks: mindsFirstContacts,
  }));
  const rows = await db.query<ReadRow>(READ, [jsonRows(wanted), nodeId, jobsPerChat, maxBytes]);
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return chats.map((_, place) => chatJobs(byPlace.get(place) ?? []));
}

function chatJobs(rows: readonly ReadRow[]): ChatJobs | null {
  const [first] = rows;
  if (first?.fits === false) return null;
  const fitting = rows.filter(({ fits }) => fits);
  return {
    jobs: fitting.map(jobOf),
    found: first?.found ?? 0,
    bytes: fitting.reduce((sum, { bytes }) => sum + bytes, 0),
    restMs: Math.max(0, first?.rest_ms ?? 0),
  };
}

interface ReadRow extends Record<string, unknown> {
  readonly place: number;
  readonly found: number;
  /** The message fits into the result. */
  readonly fits: boolean;
  readonly bytes: number;
  readonly rest_ms: number | null;
}

/** A chat with waiting jobs. */
export interface WaitingChat {
  readonly account_id: number;
  readonly channel_id: string;
  readonly epoch: number;
  readonly chat: string;
  /** Id of its first job. */
  readonly head: number;
}

/** Where a scan of all waiting chats continues. */
export type WaitingPosition = Pick<WaitingChat, "account_id" | "channel_id" | "chat">;

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
// One index lookup for each channel of this node, and one for each of its chats with waiting jobs: neither the channels
// of other nodes nor jobs behind the first of a chat are read. Rows come in the order of the ids.
const WAITING = sql(
  "send_jobs_chats",
  `with own as materialized (
     select h.account_id, h.id as channel_id, h.epoch from channels h
     where h.owner = $1 and h.deleted_at is null and (h.account_id, h.id) >= ($2, $3)
       and (select true from send_jobs j where j.account_id = any(array[h.account_id]) and j.channel_id = h.id limit 1)
     order by h.account_id, h.id
   )
   select o.account_id, o.channel_id, o.epoch, c.chat, c.head
   from own o
   cross join lateral (
     with recursive chats as (
       (select j.chat, j.id as head from send_jobs j
        where j.account_id = o.account_id and j.channel_id = o.channel_id
          and j.chat > case when o.channel_id = $3 then $4::uuid else '${NIL_UUID}' end order by j.chat, j.id limit 1)
       union all
       select n.chat, n.id from chats p cross join lateral (
         select j.chat, j.id from send_jobs j
         where j.account_id = o.account_id and j.channel_id = o.channel_id and j.chat > p.chat
         order by j.chat, j.id limit 1) n
     )
     select chat, head from chats limit $5) c
   limit $5`,
);

/** Chats of this node's channels with waiting jobs, in the order of their ids, behind `after`. */
export function waitingChats(
  db: Queryable,
  nodeId: string,
  { after, limit }: { readonly after: WaitingPosition | null; readonly limit: number },
): Promise<WaitingChat[]> {
  const from = after ?? { account_id: 0, channel_id: NIL_UUID, chat: NIL_UUID };
  return db.query<WaitingChat>(WAITING, [nodeId, from.account_id, from.channel_id, from.chat, limit]);
}

function jobOf(row: Record<string, unknown>): SendJob {
  return {
    id: row["id"],
    chat: row["chat"],
    kind: row["kind"],
    change: row["change"],
    startedEpoch: row["started_epoch"],
    unsureMs: row["unsure_ms"],
    attempts: row["attempts"],
    accountId: row["account_id"],
    channelId: row["channel_id"],
    messageId: row["message_id"],
    chatType: row["chat_type"],
    chatId: row["chat_id"],
    type: row["type"],
    status: row["status"],
    text: row["text"],
    content: row["content"] ?? {},
    externalId: row["external_id"],
    direction: row["direction"],
    senderId: row["sender_id"],
    quotedExternalId: row["quoted_external_id"],
    isQuotedDeleted: row["quoted_deleted"],
    quotedPost: row["quoted_post"],
    isFirstContact: row["is_first_contact"],
    quietMs: row["quiet_ms"],
  } as SendJob;
}

const KEY = "account_id bigint, channel_id uuid, chat uuid, id bigint";
const IS_KEY =
  "j.account_id = any(array[r.account_id]) and j.channel_id = r.channel_id and j.chat = r.chat and j.id = r.id";

/** The key of a job. */
export interface JobKey {
  readonly accountId: number;
  readonly channelId: string;
  /** Our id of the chat. */
  readonly chat: string;
  readonly id: number;
}

function keyOf({ accountId, channelId, chat, id }: JobKey): object {
  return { account_id: accountId, channel_id: channelId, chat, id };
}

const START = sql(
  "send_jobs_start",
  `update send_jobs j set started_epoch = r.epoch, attempts = r.attempts + 1, unsure_since = coalesce(unsure_since, now()),
     not_before = null, held_by = null
   from json_to_recordset($1::json) as r(${KEY}, epoch bigint, seen_epoch bigint, attempts int), channels c
   where ${IS_KEY}
     and ((j.started_epoch is not distinct from r.seen_epoch and j.attempts = r.attempts)
       or (j.started_epoch = r.epoch and j.attempts = r.attempts + 1))
     and c.id = any(array[r.channel_id]) and c.owner = $2 and c.epoch = r.epoch and c.deleted_at is null
     and (select t.timeline is not distinct from current_timeline()
            and ($3::text is null or t.timeline = $3) from database_timeline t)
   returning j.id`,
);

/** A job to be marked as started. */
export interface JobStart {
  readonly job: JobKey & Pick<SendJob, "startedEpoch" | "attempts">;
  readonly epoch: number;
}

/** The node that starts jobs. */
export interface StartingNode {
  readonly nodeId: string;
  /** Of the database whose waiting jobs this node has handled, see `noticeTimeline`; null: not known. */
  readonly timeline: string | null;
}

/**
 * Marks jobs as started, durably, before their requests are sent. Only the returned ones may be sent. The others
 * belong to another node by now, were cancelled or changed since they were read, or wait because a standby was
 * promoted and `noticeTimeline` has not handled it yet. Idempotent.
 */
export async function startJobs(
  db: Queryable,
  { nodeId, timeline }: StartingNode,
  starts: readonly JobStart[],
): Promise<Set<number>> {
  const rows = starts.map(({ job, epoch }) => ({
    ...keyOf(job),
    epoch,
    seen_epoch: job.startedEpoch,
    attempts: job.attempts,
  }));
  const started = await db.query<{ id: number }>(START, [jsonRows(rows), nodeId, timeline]);
  return new Set(started.map(({ id }) => id));
}

const POSTPONE = sql(
  "send_jobs_postpone",
  `update send_jobs j set started_epoch = case j.started_epoch when 0 then 0 end, attempts = r.attempts,
     unsure_since = case when r.unsure or j.started_epoch = 0 then j.unsure_since end,
     held_by = case when r.ms is not null then 'retry' end, not_before = now() + r.ms * interval '1 millisecond'
   from json_to_recordset($1::json) as r(${KEY}, epoch bigint, attempts int, unsure boolean, ms float8)
   where ${IS_KEY} and j.attempts in (r.attempts - 1, r.attempts)
     and (j.started_epoch is null or j.started_epoch <= r.epoch)`,
);

/** A job whose attempt failed and that may be sent again. */
export interface Postponed {
  readonly job: JobKey;
  readonly epoch: number;
  /** Includes the attempt that has just failed. */
  readonly attempts: number;
  /** A request for it, this one or an earlier one, may have taken effect. */
  readonly unsure: boolean;
  /** How long it rests, also under a new owner of its channel; null: no rest. */
  readonly ms: number | null;
}

/**
 * Makes jobs ready to be sent again. The state of a later attempt or a later owner is never overwritten, even if this
 * statement arrives late, on an abandoned connection. Neither is the mark of `noticeTimeline`: a later attempt may be among
 * what the lost primary had stored.
 */
export async function postponeJobs(tx: Queryable, jobs: readonly Postponed[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map(({ job, epoch, attempts, unsure, ms }) => ({
    ...keyOf(job),
    epoch,
    attempts,
    unsure,
    ms,
  }));
  await tx.query(POSTPONE, [jsonRows(rows)]);
}

const RETRY_NOW = sql(
  "send_jobs_retry_now",
  `update send_jobs set not_before = null, held_by = null
   where account_id = any(array[$1::bigint]) and channel_id = $2 and held_by = 'retry'
     and exists (select 1 from channels where account_id = $1 and id = $2 and epoch = $3)`,
);

/** Ends the rests of the channel's chats after failed attempts, because their cause may be gone. */
export async function retryNow(
  db: Queryable,
  { accountId, channelId, epoch }: Pick<ChatToSend, "accountId" | "channelId" | "epoch">,
): Promise<void> {
  await db.query(RETRY_NOW, [accountId, channelId, epoch]);
}

const DELAY = sql(
  "send_jobs_hold",
  `update send_jobs j set held_by = r.by, not_before = r.until
   from (select *, coalesce(now() + ms * interval '1 millisecond', 'infinity') as until,
                coalesce(least(ms * 0.05, 60000), 0) * interval '1 millisecond' as doubt
         from json_to_recordset($1::json) as r(${KEY}, by text, ms float8)) r
   where ${IS_KEY} and (j.held_by is distinct from r.by or j.not_before is null
     or j.not_before not between r.until - r.doubt and r.until + r.doubt)`,
);

/** The first job of a chat, which waits for its channel's pacing. */
export interface DelayedJob {
  readonly job: JobKey;
  readonly by: string;
  /** Expected wait; may be Infinity. */
  readonly ms: number;
}

/**
 * For display only: the channel's current owner decides by the limits that apply then. A wait that is almost the same
 * is not written again.
 */
export async function delayJobs(tx: Queryable, held: readonly DelayedJob[]): Promise<void> {
  // JSON has no Infinity; it becomes null.
  if (held.length > 0)
    await tx.query(DELAY, [jsonRows(held.map(({ job, by, ms }) => ({ ...keyOf(job), by, ms })))]);
}

const DROP = sql(
  "send_jobs_drop",
  `delete from send_jobs j using json_to_recordset($1::json) as r(${KEY}) where ${IS_KEY}`,
);

/** Deletes jobs whose message has already ended. */
export async function dropJobs(tx: Queryable, jobs: readonly JobKey[]): Promise<void> {
  if (jobs.length > 0) await tx.query(DROP, [jsonRows(jobs.map(keyOf))]);
}
