import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { jsonRows } from "../json-rows.ts";
import type { Fact } from "../payload/facts.ts";
import { decodeEvent, encodeEvent } from "../transport/event-json.ts";
import { type ChangeReport, type MessageChange, recordMessageChange } from "./messenger-changes.ts";
import { type ReactionEvent, recordReaction } from "./stored-reaction.ts";

// Edits, deletions and reactions that arrive before their message, kept in `early_reports` for a day. The transaction that stores
// the message applies them. If both transactions run at the same time, `applyKept` after the commit or the upkeep finds
// the message.

/** Beyond this an account's early changes are dropped; the rest of its early reports has room left. */
const MAX_PER_ACCOUNT = 500;
/** In large groups, many people react to messages that are older than the channel. They leave edits their room. */
const MAX_WITH_REACTIONS = 250;

/** A change that may be kept. */
export type KeptChange = MessageChange | ReactionEvent;

// Messengers do not tell how many files an album had: a deletion is reported for every possible part, `ID#2` and so on.
// If the first part is stored, the others will not arrive.
const KEEP = sql(
  "early_change_keep",
  `insert into early_reports (account_id, channel_id, chat, external_id, event, is_change)
   select $1, $2, $3, $4, $5, true
   where (select true from messages m where m.account_id = $1 and m.chat = $3
            and m.external_id = any(array[$4, split_part($4, '#', 1)]) limit 1) is null
     and not exists (select from early_reports e where e.chat = $3 and e.external_id = $4 and e.event = $5)
     and (select count(*) from (select 1 from early_reports e where e.account_id = $1 limit $6::int) k) < $6::int
   returning id`,
);

/** Returns whether the change is kept: call `applyKept` with its chat after the commit. Idempotent. */
export async function keepChange(
  tx: Queryable,
  { accountId, channelId, chat, event }: Omit<ChangeReport, "event"> & { readonly event: KeptChange },
): Promise<boolean> {
  const limit = event.kind === "reaction" ? MAX_WITH_REACTIONS : MAX_PER_ACCOUNT;
  const values = [accountId, channelId, chat, event.ref.externalId, encodeEvent(event), limit];
  return (await tx.query(KEEP, values)).length > 0;
}

/** Expression: whether a change of the row of a message was kept. */
export const hasKeptChange = (message: string): string => `exists (
  select from early_reports e where e.chat = any(array[${message}.chat])
    and e.external_id = ${message}.external_id and e.is_change)`;

const TAKE = sql(
  "early_changes_take",
  `with due as (
     delete from early_reports where ctid = any(array(
       select r.ctid from json_to_recordset($1::json) as s(account_id bigint, id uuid)
       cross join lateral (
         select account_id, chat, external_id from messages m
         where m.account_id = any(array[s.account_id]) and m.id = s.id limit 1) m
       cross join lateral (
         select e.ctid from early_reports e where e.chat = any(array[m.chat])
           and e.account_id = m.account_id and e.external_id = m.external_id and e.is_change
           offset 0) r))
     returning *)
   select account_id, channel_id, chat, event from due order by id`,
);

interface Row {
  readonly account_id: number;
  readonly channel_id: string;
  readonly chat: string;
  readonly event: string;
}

/**
 * Applies the kept changes of messages that this transaction has stored. The messages' own facts tell edits and
 * deletions; the facts of reactions are returned, to be published after them.
 */
export async function applyKeptChanges(
  core: Base,
  tx: Queryable,
  messages: readonly { readonly account_id: number; readonly id: string }[],
): Promise<Fact[]> {
  const facts: Fact[] = [];
  for (const row of await tx.query<Row>(TAKE, [jsonRows(messages)])) {
    // Written by `keepChange`.
    const event = decodeEvent(row.event) as KeptChange;
    const report = { accountId: row.account_id, channelId: row.channel_id, chat: row.chat };
    if (event.kind === "reaction") facts.push(...((await recordReaction(tx, report, event)) ?? []));
    else await recordMessageChange(core, tx, { ...report, event });
  }
  return facts;
}
