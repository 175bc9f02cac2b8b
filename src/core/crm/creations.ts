import { type Queryable, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { HAS_NICKNAME } from "../chat/nickname.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { notifyReceivers } from "../event/publish.ts";
import { jsonRows } from "../json-rows.ts";
import type { Client, CreationFact, CreationSource, Fact } from "../payload/facts.ts";
import type { Scope } from "../scope.ts";
import type { ChatType } from "../transport/definition.ts";
import { askedOnV2, isAnyAskedFor, isAskedFor } from "./asked.ts";
import { nextAssignee } from "./assignment.ts";
import { CONTACT_OF_CHAT, type KnownContactRow, knownContactOf } from "./client.ts";
import { notifyClientChange } from "./client-changes.ts";
import { type Circumstances, type CreationDecision, decide, type Trigger } from "./creation.ts";
import { publishRequests, withdrawCreation } from "./publish-requests.ts";
import type { NewClientRule } from "./settings.ts";

/** An occasion in a chat on which a contact or a deal may have to be requested from the CRM. */
export interface CreationOccasion {
  readonly accountId: number;
  /** Our id of the chat. */
  readonly chat: string;
  readonly trigger: Trigger;
}

/** If the CRM returned nothing within the three days of webhook retries, the next occasion causes a new request. */
const REPEAT_AFTER = "interval '4 days'";

// Only chats for which a receiver takes the next request: for a deal if the contact exists, else for the contact. The
// CRM gets no contact whose chat id is still unknown: it would be asked for another one once the id is known.
const FIND_CIRCUMSTANCES = sql(
  "crm_creation_look",
  `select c.account_id, c.id as chat, c.channel_id, c.chat_type, c.chat_id, c.name, c.username, c.phone,
          c.last_inbound_at is not null as has_written, coalesce(s.new_clients, 'nobody') as rule,
          exists (select 1 from pipelines p where p.account_id = any(array[c.account_id]) and p.stages <> '[]') as has_pipeline,
          exists (select 1 from crm_users u where u.account_id = any(array[c.account_id]) and u.gets_new_clients) as has_employee,
          exists (select 1 from client_creations r
                  where r.account_id = any(array[c.account_id]) and r.chat_type = c.chat_type and r.chat_id = c.chat_id
                    and r.asked_at > now() - ${REPEAT_AFTER}) as is_asked,
          k.contact_id, k.responsible_user_id, k.has_deal,
          case when k.contact_id is null then ${askedOnV2("contact", "c.account_id")}
               else ${askedOnV2("deal", "c.account_id")} end as asked_on_v2
   from json_to_recordset($1::json) as o(account_id bigint, chat uuid)
   join chats c on c.account_id = any(array[o.account_id]) and c.id = o.chat
   left join crm_settings s on s.account_id = any(array[c.account_id])
   left join lateral (${CONTACT_OF_CHAT}) k on true
   where ${isAnyAskedFor("c.account_id")}
     and case when k.contact_id is null then ${isAskedFor("contact", "c.account_id")} and not ${HAS_NICKNAME}
              else ${isAskedFor("deal", "c.account_id")} end`,
);

interface Row extends KnownContactRow {
  readonly account_id: number;
  readonly chat: string;
  readonly channel_id: string;
  readonly chat_type: ChatType;
  readonly chat_id: string;
  readonly name: string;
  readonly username: string | null;
  readonly phone: string | null;
  readonly has_written: boolean;
  readonly rule: NewClientRule;
  readonly has_pipeline: boolean;
  readonly has_employee: boolean;
  readonly is_asked: boolean;
  readonly asked_on_v2: boolean;
}

/** A client for whom a request may be needed. */
interface Candidate {
  readonly row: Row;
  readonly decision: CreationDecision;
  readonly source: CreationSource;
}

/**
 * Decides for each occasion whether a request is needed, and returns the requests, to be published at the end of the
 * caller's transaction. Only the first occasion of a client counts. The client is locked until commit: concurrent
 * occasions of the same client, from any channel or node, wait and then see the request.
 */
export async function askForClients(tx: Queryable, occasions: readonly CreationOccasion[]): Promise<Fact[]> {
  if (occasions.length === 0) return [];
  const triggers = new Map(occasions.toReversed().map(({ chat, trigger }) => [chat, trigger]));
  const candidates = (await findCircumstances(tx, occasions)).flatMap((row) => {
    const trigger = triggers.get(row.chat);
    return trigger === undefined ? [] : candidatesOf(row, trigger);
  });
  return candidates.length === 0 ? [] : ask(tx, candidates);
}

function findCircumstances(
  db: Queryable,
  occasions: readonly Omit<CreationOccasion, "trigger">[],
): Promise<Row[]> {
  const chats = new Map(occasions.map(({ accountId, chat }) => [chat, { account_id: accountId, chat }]));
  return db.query<Row>(FIND_CIRCUMSTANCES, [jsonRows([...chats.values()])]);
}

function candidatesOf(row: Row, trigger: Trigger): Candidate[] {
  const decision = decide(trigger, circumstancesOf(row));
  return decision === null ? [] : [{ row, decision, source: trigger.kind === "pressed" ? "byUser" : "auto" }];
}

function circumstancesOf(row: Row): Circumstances {
  return {
    chatType: row.chat_type,
    rule: row.rule,
    hasPipeline: row.has_pipeline,
    hasEmployee: row.has_employee,
    hasWritten: row.has_written,
    isAsked: row.is_asked,
    contact: knownContactOf(row),
  };
}

const RESERVE = sql(
  "crm_creations_hold",
  `insert into client_creations as r (account_id, chat_type, chat_id, id, channel_id, chat, entity)
   select account_id, chat_type, chat_id, id, channel_id, chat, entity
   from json_to_recordset($1::json) as i(
     account_id bigint, chat_type text, chat_id text, id uuid, channel_id uuid, chat uuid, entity text)
   order by account_id, chat_type collate "C", chat_id collate "C"
   on conflict (account_id, chat_type, chat_id) do update set
     id = excluded.id, channel_id = excluded.channel_id, chat = excluded.chat, entity = excluded.entity, asked_at = now()
     where r.asked_at <= now() - ${REPEAT_AFTER}
   returning id`,
);

async function ask(tx: Queryable, candidates: readonly Candidate[]): Promise<Fact[]> {
  const ids = new Map(oneForEachClient(candidates).map((candidate) => [newId(), candidate]));
  const reserved = await tx.query<{ id: string }>(RESERVE, [
    jsonRows([...ids].map(([id, { row, decision }]) => reservationRow(id, row, decision))),
  ]);
  const facts: Fact[] = [];
  for (const { id } of reserved) {
    const candidate = ids.get(id);
    if (candidate !== undefined) facts.push(...(await requestFor(tx, id, candidate)));
  }
  return facts;
}

/**
 * One person may have written to two channels at once. Sorted by account, so that round-robin rows are locked in
 * order.
 */
function oneForEachClient(candidates: readonly Candidate[]): Candidate[] {
  const keyOf = ({ account_id: accountId, chat_type: chatType, chat_id: chatId }: Row): string =>
    `${accountId} ${chatType} ${chatId}`;
  return [
    ...new Map(candidates.toReversed().map((candidate) => [keyOf(candidate.row), candidate])).values(),
  ].reverse();
}

function reservationRow(id: string, row: Row, { entity }: CreationDecision): object {
  const { account_id, chat_type, chat_id, channel_id, chat } = row;
  return { account_id, chat_type, chat_id, id, channel_id, chat, entity };
}

async function requestFor(tx: Queryable, id: string, { row, decision, source }: Candidate): Promise<Fact[]> {
  const scope = { accountId: row.account_id };
  const responsibleUserId = decision.responsible ?? (await nextAssignee(tx, scope));
  if (responsibleUserId === null) {
    // The last employee who gets new clients was switched off at this moment.
    await withdrawCreation(tx, { ...scope, creationId: id });
    return [];
  }
  const client = row.contact_id === null ? clientOf(row) : null;
  const creation = { ...factOf(id, row), request: requestOf(row, responsibleUserId, source), client };
  return [{ kind: "creation", creation }];
}

function factOf(creationId: string, row: Row): Omit<CreationFact, "request" | "client"> {
  const version = row.asked_on_v2 ? "v2" : "v3";
  return { accountId: row.account_id, channelId: row.channel_id, chat: row.chat, creationId, version };
}

function clientOf(row: Row): Client {
  const { chat_id: chatId, chat_type: chatType, username, phone } = row;
  return { chatId, chatType, name: nameOf(row), username, phone };
}

function requestOf(row: Row, responsibleUserId: string, source: CreationSource): CreationFact["request"] {
  if (row.contact_id !== null) return { responsibleUserId, contacts: [row.contact_id], source };
  const contactData = [{ chatType: row.chat_type, chatId: row.chat_id }];
  return { responsibleUserId, name: nameOf(row), contactData, source };
}

const MAX_NAME_LENGTH = 200;

/** The name in the messenger; for a person without a name, whatever else is known. */
function nameOf({ name, username, phone, chat_id: chatId }: Row): string {
  const known = [name, username, phone].find((text) => text !== null && text.trim() !== "");
  return (known ?? chatId).slice(0, MAX_NAME_LENGTH);
}

/**
 * Requests a deal for the client of this chat by button of an employee; a client without a contact gets that first.
 * Returns whether a request is pending, new or not. There is none for a group, for a new client whose chat id is still
 * unknown, or if the CRM is not subscribed to requests for what comes next.
 */
export async function orderDeal(
  core: Base & HasLive,
  { accountId }: Scope,
  { chat, userId }: { readonly chat: string; readonly userId: string },
): Promise<boolean> {
  const asked = await core.db.tx(async (tx) => {
    const [row] = await findCircumstances(tx, [{ accountId, chat }]);
    if (row === undefined) return false;
    const candidates = candidatesOf(row, { kind: "pressed", userId });
    if (candidates.length > 0) await publishRequests(tx, await ask(tx, candidates));
    return candidates.length > 0 || row.is_asked;
  });
  if (asked) {
    notifyReceivers(core, [accountId]);
    notifyClientChange(core, accountId, chat);
  }
  return asked;
}
