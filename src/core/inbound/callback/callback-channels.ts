import { type Database, sql } from "../../../database/database.ts";
import { createBatcher } from "../../../platform/queue/batcher.ts";
import { jsonRows } from "../../json-rows.ts";
import type { ChannelFound } from "./callback-link.ts";

/** The ids by which a messenger's call for many channels names them. */
export interface NamedIds {
  readonly messengerIds: readonly string[];
  readonly businessIds: readonly string[];
}

/** A channel whose account may have moved, though its rows are still here. */
export interface CalledChannel extends ChannelFound {
  /** Address of the cell in which its account works; null: this one. */
  readonly moved_to: string | null;
}

export interface NamedChannel extends CalledChannel {
  readonly messenger_id: string | null;
  readonly business_id: string | null;
  readonly phone: string;
}

/** Expression: `CalledChannel.moved_to`. */
export const movedTo = (account: string): string =>
  `(select m.address from account_moves m where m.account_id = ${account} and m.side = 'source' and m.state = 'moved')`;

/** Columns of `NamedChannel` that are columns of the channel. */
export const NAMED_COLUMNS = [
  "account_id",
  "id",
  "epoch",
  "credentials",
  "proxy",
  "exit_key",
  "messenger_id",
  "business_id",
  "phone",
];

/**
 * Reads the channels that messengers' calls concern. Calls that arrive at the same time share a statement; each gets
 * rows that were read after it arrived.
 */
export interface CallbackChannels {
  /** The channel of this transport; undefined if there is none. `channelId` must be a UUID. */
  byId(transport: string, channelId: string): Promise<CalledChannel | undefined>;
  /** The channels of this transport with these ids, at most 1,000: of each messenger's id the one in use. */
  named(transport: string, ids: NamedIds): Promise<readonly NamedChannel[]>;
}

export interface HasCallbackChannels {
  readonly callbackChannels: CallbackChannels;
}

const BY_ID = sql(
  "channels_by_id_for_callback",
  `select account_id, id, epoch, credentials, proxy, exit_key, messenger_id, transport,
     ${movedTo("channels.account_id")} as moved_to from channels
   where id = any($1::uuid[]) and deleted_at is null`,
);

const columnsOf = (table: string): string => NAMED_COLUMNS.map((column) => `${table}.${column}`).join(", ");

/** The live channel of each id; if there is none, the last channel that had it, since its block may have ended. */
const NAMED = sql(
  "channels_for_callback",
  `select asked.place, ${columnsOf("found")}, ${movedTo("found.account_id")} as moved_to
   from json_to_recordset($1::json) as asked(place int, transport text, messenger_ids text[], business_ids text[])
   cross join lateral (
     select distinct on (c.messenger_id) ${columnsOf("c")}
     from (
       select ${columnsOf("m")}, m.status, m.status_at from channels m
       where m.transport = asked.transport and m.messenger_id = any(asked.messenger_ids) and m.deleted_at is null
       union all
       select ${columnsOf("b")}, b.status, b.status_at from channels b
       where b.transport = asked.transport and b.business_id = any(asked.business_ids) and b.deleted_at is null
         and b.messenger_id is not null
     ) c
     order by c.messenger_id, c.status <> 'disabled' desc, c.status_at desc
     limit 1000
   ) found`,
);

/** Calls that share a statement. */
const MAX_CALLS = 64;
/** Ids in a statement, beyond those of its last call; a business may have many channels. */
const MAX_IDS = 256;
const BUSINESS_WEIGHT = 16;
/** Each statement takes one of the node's database connections. */
const MAX_STATEMENTS = 2;

interface Question extends NamedIds {
  readonly transport: string;
}

export function createCallbackChannels(db: Database): CallbackChannels {
  const shared = { maxItems: MAX_CALLS, maxConcurrent: MAX_STATEMENTS };
  const byId = createBatcher<string, (CalledChannel & { readonly transport: string }) | undefined>({
    ...shared,
    async run(ids) {
      const rows = await db.query<CalledChannel & { readonly transport: string }>(BY_ID, [[...new Set(ids)]]);
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id.toLowerCase()));
    },
  });
  const named = createBatcher<Question, readonly NamedChannel[]>({
    ...shared,
    weightOf: ({ messengerIds, businessIds }) => messengerIds.length + businessIds.length * BUSINESS_WEIGHT,
    maxWeight: MAX_IDS,
    run: (questions) => answer(db, questions),
  });
  return {
    async byId(transport, channelId) {
      const row = await byId.add(channelId);
      return row?.transport === transport ? row : undefined;
    },
    named: (transport, ids) => named.add({ transport, ...ids }),
  };
}

/** Equal questions, as of many calls for one channel, are asked once. */
async function answer(
  db: Database,
  questions: readonly Question[],
): Promise<readonly (readonly NamedChannel[])[]> {
  const places = new Map<string, number>();
  const asked: object[] = [];
  const placeOf = questions.map(({ transport, messengerIds, businessIds }) => {
    const key = JSON.stringify([transport, messengerIds, businessIds]);
    const place = places.get(key) ?? asked.length;
    if (place === asked.length) {
      places.set(key, place);
      asked.push({ place, transport, messenger_ids: messengerIds, business_ids: businessIds });
    }
    return place;
  });
  const answers = asked.map((): NamedChannel[] => []);
  for (const { place, ...row } of await db.query<NamedChannel & { readonly place: number }>(NAMED, [
    jsonRows(asked),
  ]))
    answers[place]?.push(row);
  return placeOf.map((place) => answers[place] ?? []);
}
