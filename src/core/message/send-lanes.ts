import { type Queryable, sql } from "../../database/database.ts";
import { jsonRows } from "../json-rows.ts";
import type { MessageStatus, MessageType, OutgoingContent } from "./content.ts";

/** A channel that this node owns, and how many of its lanes it can take now. */
export interface ChannelDemand {
  readonly channelId: string;
  readonly epoch: number;
  readonly lanes: number;
  /** Whether it matters who is new: then each job says so. */
  readonly mindsFirstContacts: boolean;
  /**
   * Lanes due at that time or earlier, in ms of Unix time, are left out. Lanes change hands with each message: the index
   * is full of what was due before, and what a backup keeps from being cleared would be read again with each look.
   */
  readonly dueAfter?: number | undefined;
  /** Chats of the channel that the node works on already. */
  readonly inHand: readonly string[];
  /** Most lanes that its account, and its transport, may take in this look, with all their channels. */
  readonly lanesOfAccount: number;
  readonly lanesOfTransport: number;
}

/** A chat's queue as it was read. `ver` is another random number after each addition; the release compares it. */
export interface DueLane {
  readonly chat: string;
  readonly channelId: string;
  readonly epoch: number;
  readonly ver: number;
  /** Since when, in ms of Unix time by the database's clock. */
  readonly dueSince: number;
  /** The first jobs, in order: fewer than were found where they are large. */
  readonly jobs: readonly SendJob[];
  /** Jobs that were found, up to the limit of the look. */
  readonly found: number;
}

export interface SendJob {
  readonly id: number;
  readonly chat: string;
  readonly kind: "send" | "edit" | "remove";
  readonly change: StoredChange | null;
  /** Not null: a request for this job may have left before. */
  readonly startedEpoch: number | null;
  /** Since the first request that may have had its effect; null where there was none. */
  readonly unsureMs: number | null;
  readonly attempts: number;
  readonly accountId: number;
  readonly channelId: string;
  readonly messageId: string;
  readonly chatType: string;
  readonly chatId: string;
  readonly type: MessageType;
  readonly status: MessageStatus;
  readonly text: string | null;
  readonly content: OutgoingContent;
  readonly externalId: string | null;
  readonly quotedExternalId: string | null;
  /** The post that the quoted message is a comment on; null where it is none. */
  readonly quotedPost: string | null;
  /** The person never wrote, and no message of ours has arrived; null where nobody asked. */
  readonly isFirstContact: boolean | null;
  /** Since the person wrote last, comments aside; null: never. */
  readonly quietMs: number | null;
}

/** What `send_jobs.change` holds for an edit. */
export interface StoredChange {
  readonly text?: string;
  readonly attachment?: NonNullable<OutgoingContent["attachment"]>;
  readonly authorId?: string;
}

/** Texts and contents of the jobs of one look, and of one lane; the first of each is read in any case. */
const MAX_BYTES = 8_000_000;
const MAX_LANE_BYTES = 256_000;

// Every account comes in its turn: its lane that is due for longest first. The jobs know how long their messages are, so
// that what is left out for its size is not read. Not "exists": that might be planned as one look at all messages.
const DUE = sql(
  "send_lanes_due",
  `with wanted as (
     select * from json_to_recordset($1::json) as r(channel_id uuid, epoch bigint, lanes int, asks boolean, due_after float8,
       in_hand uuid[], of_account int, of_transport int)
   ), candidates as (
     select l.chat, l.ver, l.due, w.channel_id, w.epoch, w.asks, w.of_account, w.of_transport,
            row_number() over (partition by h.account_id order by l.due) as account_place,
            row_number() over (partition by h.transport order by l.due) as transport_place
     from wanted w
     join channels h on h.id = any(array[w.channel_id]) and h.epoch = w.epoch and h.owner = $2 and h.deleted_at is null
     cross join lateral (
       select chat, ver, due from send_lanes s
       where s.channel_id = w.channel_id and s.due <= now() and s.chat <> all(w.in_hand)
         and s.due > coalesce(to_timestamp(w.due_after / 1000), '-infinity')
       order by s.due limit w.lanes) l
   ), due as materialized (
     select *, row_number() over (order by account_place, due) as place from candidates
     where account_place <= of_account and transport_place <= of_transport
     order by account_place, due limit $4
   ), sized as (
     select l.chat as lane, l.ver, l.due, l.channel_id as lane_channel, l.epoch as lane_epoch, l.asks, l.place, j.*,
            sum(coalesce(j.bytes, 0)) over (order by j.job_place, l.place rows unbounded preceding) as bytes_so_far
     from due l
     left join lateral (
       select *, sum(bytes) over of_lane as lane_bytes, row_number() over of_lane as job_place, count(*) over () as found
       from (select * from send_jobs where chat = l.chat order by id limit $3) s
       window of_lane as (order by id rows unbounded preceding)) j
       on j.job_place = 1 or j.lane_bytes <= ${MAX_LANE_BYTES}
   )
   select j.lane, j.ver, extract(epoch from j.due)::float8 * 1000 as due_since, j.lane_channel, j.lane_epoch as epoch,
          j.found, j.id, j.chat, j.kind, j.change, j.started_epoch,
          (extract(epoch from now() - j.unsure_since) * 1000)::float8 as unsure_ms, j.attempts, j.account_id, j.channel_id,
          j.message_id, c.chat_type, c.chat_id, m.type, m.status, m.text, m.content, m.external_id,
          q.external_id as quoted_external_id, q.content -> 'post' ->> 'id' as quoted_post,
          case when j.asks then c.last_inbound_at is null and (
            select true from messages o where o.account_id = j.account_id and o.chat = j.chat
              and o.external_id is not null and o.status in ('inbound', 'sent', 'delivered', 'read') limit 1) is null
          end as is_first_contact,
          (extract(epoch from now() - c.last_direct_at) * 1000)::float8 as quiet_ms
   from sized j
   left join messages m on m.account_id = any(array[j.account_id]) and m.id = j.message_id
   left join chats c on c.account_id = any(array[j.account_id]) and c.id = j.chat
   left join messages q on q.account_id = any(array[m.account_id]) and q.id = m.quoted_id
   where j.bytes_so_far <= ${MAX_BYTES} or (j.place = 1 and j.job_place = 1)
   order by j.id`,
);

/**
 * Due lanes of the node's own channels with their first jobs, but for those in hand. Nothing is written: only a
 * channel's owner works its lanes, and what it finds is from one snapshot. Accounts come in turns, each with what is due
 * for longest. Lanes whose messages would make the answer too large are left for the next look. A node that lost a
 * channel gets none of it.
 */
export async function dueLanes(
  db: Queryable,
  nodeId: string,
  demands: readonly ChannelDemand[],
  { jobsPerLane, maxLanes }: { readonly jobsPerLane: number; readonly maxLanes: number },
): Promise<DueLane[]> {
  const wanted = demands.map((demand) => ({
    channel_id: demand.channelId,
    epoch: demand.epoch,
    lanes: demand.lanes,
    asks: demand.mindsFirstContacts,
    due_after: demand.dueAfter,
    in_hand: demand.inHand,
    of_account: demand.lanesOfAccount,
    of_transport: demand.lanesOfTransport,
  }));
  const values = [jsonRows(wanted), nodeId, jobsPerLane, maxLanes];
  const lanes = new Map<string, DueLane & { jobs: SendJob[] }>();
  for (const row of await db.query<LaneRow>(DUE, values)) {
    const { lane: chat, ver, due_since: dueSince, lane_channel: channelId, epoch, found } = row;
    const lane = lanes.get(chat) ?? { chat, channelId, epoch, ver, dueSince, found: found ?? 0, jobs: [] };
    lanes.set(chat, lane);
    if (row["id"] !== null) lane.jobs.push(jobOf(row));
  }
  return [...lanes.values()];
}

interface LaneRow extends Record<string, unknown> {
  readonly lane: string;
  readonly ver: number;
  readonly due_since: number;
  readonly lane_channel: string;
  readonly epoch: number;
  readonly found: number | null;
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
    quotedExternalId: row["quoted_external_id"],
    quotedPost: row["quoted_post"],
    isFirstContact: row["is_first_contact"],
    quietMs: row["quiet_ms"],
  } as SendJob;
}

const START = sql(
  "send_jobs_start",
  `update send_jobs j set started_epoch = r.epoch, attempts = r.attempts + 1, unsure_since = coalesce(unsure_since, now())
   from json_to_recordset($1::json) as r(id bigint, chat uuid, channel_id uuid, epoch bigint, seen_epoch bigint, attempts int),
     channels c
   where j.chat = any(array[r.chat]) and j.id = r.id
     and ((j.started_epoch is not distinct from r.seen_epoch and j.attempts = r.attempts)
       or (j.started_epoch = r.epoch and j.attempts = r.attempts + 1))
     and c.id = any(array[r.channel_id]) and c.owner = $2 and c.epoch = r.epoch and c.deleted_at is null
   returning j.id`,
);

/**
 * Marks jobs as started, durably, before their requests leave. Only the returned ones may be sent: the others
 * belong to another node by now, or are no longer as they were read. Repeating the same call gives the same answer.
 */
export async function startJobs(
  db: Queryable,
  nodeId: string,
  jobs: readonly JobStart[],
): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>(START, [
    jsonRows(
      jobs.map(({ id, chat, channelId, epoch, seenEpoch, attempts }) => ({
        id,
        chat,
        channel_id: channelId,
        epoch,
        seen_epoch: seenEpoch,
        attempts,
      })),
    ),
    nodeId,
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** How a job is found. */
export interface JobKey {
  readonly id: number;
  readonly chat: string;
}

export interface JobStart extends JobKey {
  readonly channelId: string;
  readonly epoch: number;
  /** As read with the job, like `attempts`. */
  readonly seenEpoch: number | null;
  readonly attempts: number;
}

const POSTPONE = sql(
  "send_jobs_postpone",
  `update send_jobs j set started_epoch = null, attempts = r.attempts,
     unsure_since = case when r.unsure then j.unsure_since end
   from json_to_recordset($1::json) as r(id bigint, chat uuid, epoch bigint, attempts int, unsure boolean)
   where j.chat = any(array[r.chat]) and j.id = r.id and j.attempts in (r.attempts - 1, r.attempts)
     and (j.started_epoch is null or j.started_epoch <= r.epoch)`,
);

/** A job that may be sent again. */
export interface Postponed {
  readonly job: JobKey;
  readonly epoch: number;
  /** Counts the one that has just been made. */
  readonly attempts: number;
  /** Some request for it, this one or an earlier one, may have had its effect. */
  readonly unsure: boolean;
}

/**
 * Lets jobs be sent again. What a later attempt or a later owner did with one stays, also when this statement comes
 * late, on a connection that was given up.
 */
export async function postponeJobs(tx: Queryable, jobs: readonly Postponed[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map(({ job: { id, chat }, ...rest }) => ({ id, chat, ...rest }));
  await tx.query(POSTPONE, [jsonRows(rows)]);
}

const DROP = sql(
  "send_jobs_drop",
  "delete from send_jobs j using json_to_recordset($1::json) as r(id bigint, chat uuid) where j.chat = any(array[r.chat]) and j.id = r.id",
);

/** For jobs whose message has ended already. */
export async function dropJobs(tx: Queryable, jobs: readonly JobKey[]): Promise<void> {
  if (jobs.length > 0) await tx.query(DROP, [jsonRows(jobs.map(({ id, chat }) => ({ id, chat })))]);
}

const RELEASE = sql(
  "send_lanes_release",
  `update send_lanes s set
     due = case when r.exhausted and s.ver = r.ver then 'infinity'::timestamptz
                else now() + r.delay_ms * interval '1 millisecond' end,
     held_by = r.held_by,
     held_until = now() + r.held_ms * interval '1 millisecond'
   from json_to_recordset($1::json) as r(chat uuid, channel_id uuid, epoch bigint, ver bigint, exhausted boolean,
     delay_ms float8, held_by text, held_ms float8)
   join channels c on c.id = any(array[r.channel_id]) and c.epoch = r.epoch
   where s.chat = any(array[r.chat])
   returning s.due <> 'infinity' as more`,
);

export interface LaneRelease extends Omit<DueLane, "jobs" | "found" | "dueSince"> {
  /** No job was left when the lane was read. */
  readonly exhausted: boolean;
  /** When not exhausted: how long the lane rests. */
  readonly delayMs: number;
  /** What its first message waits for, for whoever looks; `ms` may be Infinity. */
  readonly held: { readonly by: string; readonly ms: number } | null;
}

/**
 * Says when lanes are due again; returns whether any of them has more to do. Lanes of a channel that the node has
 * lost stay as they are, for their new owner.
 */
export async function releaseLanes(tx: Queryable, releases: readonly LaneRelease[]): Promise<boolean> {
  if (releases.length === 0) return false;
  const sorted = releases.toSorted((a, b) => (a.chat < b.chat ? -1 : 1));
  const rows = await tx.query<{ more: boolean }>(RELEASE, [
    jsonRows(
      sorted.map(({ chat, channelId, epoch, ver, exhausted, delayMs, held }) => ({
        chat,
        channel_id: channelId,
        epoch,
        ver,
        exhausted,
        delay_ms: delayMs,
        held_by: held?.by,
        // JSON has no Infinity: null, as for who does not wait.
        held_ms: held?.ms,
      })),
    ),
  ]);
  return rows.some(({ more }) => more);
}

// Locked in the order in which acceptances lock them: two of many chats must not wait for each other.
const LOOK_AGAIN = sql(
  "send_lanes_look_again",
  `with waiting as materialized (
     select chat from send_lanes
     where channel_id = $1 and due > now() and due < 'infinity' and held_by in ('pace', 'allowance', 'hold')
   ), locked as materialized (
     select s.chat from (select chat from waiting order by chat) w
     cross join lateral (select chat from send_lanes where chat = any(array[w.chat]) for no key update) s
   )
   update send_lanes s set due = now() from locked l
   where s.chat = any(array[l.chat]) and s.due > now() and s.due < 'infinity'`,
);

/** Makes lanes that wait for their channel's pacing due: it has changed. */
export async function lookAgain(db: Queryable, channelId: string): Promise<void> {
  await db.query(LOOK_AGAIN, [channelId]);
}
