import { type Database, type Queryable, sql } from "../../database/database.ts";
import { PHONE_QUEUE_LOCK } from "../../database/locks.ts";
import { newId } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { type Channel, getChannel } from "../channel/channel.ts";
import { normalPhone } from "../chat/names.ts";
import { AppError } from "../errors.ts";
import type { CheckedPhone } from "../payload/facts.ts";
import type { Scope } from "../scope.ts";
import { CHAT_TYPE_TRAITS, type ChatType, type TransportDefinition } from "../transport/definition.ts";
import { definitionOf } from "../transport/registry.ts";

/** Numbers in one request. */
export const MAX_PHONES = 100;
/** Numbers of a channel that may wait. */
const MAX_WAITING_PHONES = 500;

export interface PhoneCheck {
  readonly checkId: string;
  /** What is known already, in the order of the request. */
  readonly known: readonly CheckedPhone[];
  /** How many are looked up, one after the other; each result is an event. */
  readonly waiting: number;
}

/**
 * Returns which numbers the messenger has, as far as that is known, and queues the others for the channel's owner.
 * `operationId` makes a repetition harmless. Throws CHANNEL_NOT_FOUND, CHANNEL_INVALID_TRANSPORT, VALIDATION_ERROR,
 * MESSAGE_CHANNEL_UNAVAILABLE, PHONE_CHECK_QUEUE_FULL.
 */
export async function checkPhones(
  core: Base,
  scope: Scope,
  channelId: string,
  { phones: given, operationId }: { readonly phones: readonly string[]; readonly operationId: string | null },
): Promise<PhoneCheck> {
  const channel = await getChannel(core, scope, channelId);
  const definition = definitionOf(core.transports, channel.transport);
  if (definition.pacing.phoneChecks === undefined) throw new AppError("CHANNEL_INVALID_TRANSPORT");
  const phones = [...new Set(given.map(digitsOf))];
  const known = await knownPhones(core.db, channel, { chatType: privateTypeOf(definition), phones });
  const unknown = phones.filter((phone) => !known.has(phone));
  const checkId = operationId ?? newId();
  if (unknown.length > 0) {
    if (channel.status !== "active")
      throw new AppError("MESSAGE_CHANNEL_UNAVAILABLE", {
        data: { status: channel.status, reason: channel.reason },
      });
    await queuePhones(core.db, channel, { checkId, phones: unknown });
    core.signals.notify("phones", channelId);
  }
  return {
    checkId,
    known: phones.flatMap((phone) => known.get(phone) ?? []),
    waiting: unknown.length,
  };
}

function digitsOf(given: string, index: number): string {
  const phone = normalPhone(given);
  if (phone !== null) return phone;
  throw new AppError("VALIDATION_ERROR", {
    data: { fields: [{ field: `phones.${index}`, message: "must be an international phone number" }] },
  });
}

/** The type of the chats with single people. */
export function privateTypeOf({ chatTypes }: Pick<TransportDefinition, "chatTypes">): ChatType {
  return chatTypes.find((type) => !CHAT_TYPE_TRAITS[type].group) ?? chatTypes[0];
}

// A person who wrote has an account. Absent accounts may be registered any day. Each name has its own lookup: with "or"
// inside one, the planner may read all chats of the channel.
const KNOWN = sql(
  "phones_known",
  `select p.phone, coalesce(c.chat_id, l.chat_id) as "chatId", coalesce(c.username, l.username) as username,
     c.chat_id is not null or l.is_found as exists
   from unnest($4::text[]) as p (phone)
   left join lateral (
     select k.chat_id, k.username from (
       (select * from chats n where $5 and n.channel_id = $2 and n.chat_type = $3 and n.chat_id = p.phone order by n.chat_id offset 0)
       union all
       (select * from chats n where n.account_id = $1 and n.channel_id = $2 and n.phone between p.phone and p.phone
          order by n.phone offset 0)) k
     where k.account_id = $1 and k.chat_type = $3 and k.last_inbound_at is not null
     limit 1) c on true
   left join phone_lookups l on l.account_id = $1 and l.channel_id = $2 and l.phone = p.phone
     and l.is_found is not null and l.at > now() - case when l.is_found then interval '30 days' else interval '1 day' end
   where c.chat_id is not null or l.phone is not null`,
);

async function knownPhones(
  db: Queryable,
  { accountId, id: channelId }: Channel,
  { chatType, phones }: { readonly chatType: ChatType; readonly phones: readonly string[] },
): Promise<ReadonlyMap<string, CheckedPhone>> {
  const isNumber = CHAT_TYPE_TRAITS[chatType].idForm === "phone";
  const rows = await db.query<Omit<CheckedPhone, "chatType">>(KNOWN, [
    accountId,
    channelId,
    chatType,
    phones,
    isNumber,
  ]);
  return new Map(rows.map((row) => [row.phone, { ...row, chatType }]));
}

// Two requests must not count the same free places.
const LOCK_QUEUE = sql(
  "phones_lock_queue",
  `select pg_advisory_xact_lock(${PHONE_QUEUE_LOCK}, hashtext($1::text))`,
);

const QUEUE = sql(
  "phones_queue",
  `insert into phone_checks (account_id, channel_id, phone, check_id)
   select $1, $2, p.phone, $3 from unnest($4::text[]) with ordinality as p (phone, place)
   where (select count(*) from (
     select 1 from phone_checks where account_id = $1 and channel_id = $2 and check_id <> $3
     limit ${MAX_WAITING_PHONES}) q) + cardinality($4::text[]) <= ${MAX_WAITING_PHONES}
   order by p.place
   on conflict (account_id, channel_id, phone, check_id) do update set due = phone_checks.due returning 1`,
);

async function queuePhones(
  db: Database,
  { accountId, id: channelId }: Channel,
  { checkId, phones }: { readonly checkId: string; readonly phones: readonly string[] },
): Promise<void> {
  const rows = await db.tx(async (tx) => {
    await tx.query(LOCK_QUEUE, [channelId]);
    return tx.query(QUEUE, [accountId, channelId, checkId, phones]);
  });
  if (rows.length === 0) throw new AppError("PHONE_CHECK_QUEUE_FULL");
}
