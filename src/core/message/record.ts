import { isDuplicate, type Queryable, sql } from "../../database/database.ts";
import { safeName } from "../../platform/file/download-name.ts";
import { newId, newSecret } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import type { HasAvatars } from "../chat/avatars.ts";
import { type Avatar, askForAvatars } from "../chat/avatars.ts";
import type { HasChats } from "../chat/chats.ts";
import {
  type ChatName,
  clearChatCache,
  firstIdOf,
  forgetChat,
  rememberChat,
  resolveChat,
  resolveChats,
} from "../chat/chats.ts";
import { recordGroup, recordMembers } from "../chat/group-updates.ts";
import { moveChat } from "../chat/move.ts";
import { touchChats } from "../chat/order.ts";
import { columnsOf, type IncomingContent, storedName } from "../content.ts";
import { isAnyAskedFor } from "../crm/asked.ts";
import { askForClients } from "../crm/creations.ts";
import { publishRequestsAndCommit } from "../crm/publish-requests.ts";
import { forgetUnanswered } from "../crm/unanswered-rows.ts";
import { announce } from "../event/publish.ts";
import { jsonRows } from "../json-rows.ts";
import type { Fact, MessageFact } from "../payload/facts.ts";
import type { ChatType } from "../transport/definition.ts";
import type { InboundMessage, MessageBody, TransportEvent } from "../transport/events.ts";
import { keptFieldsOf, type MessageType } from "../transport/message.ts";
import { applyKeptChanges, hasKeptChange, type KeptChange, keepChange } from "./early-changes.ts";
import { applyKept, type HasEarlyReports, storeEarlyReports } from "./early-reports.ts";
import { fillPlaceholders } from "./late-content.ts";
import { loadFacts, type StoredQuote } from "./load-facts.ts";
import { recordMessageChange } from "./messenger-changes.ts";
import { type InsertedRow, insertPlaced, type MessageRow } from "./placement.ts";
import { type ReadPosition, type ReadReport, recordReadReports } from "./read-reports.ts";
import { queueForSearch } from "./search-index.ts";
import { recordStatusReports, type StatusReport } from "./status-reports.ts";
import { recordReaction } from "./stored-reaction.ts";

export type MessengerEvent = Exclude<TransportEvent, { kind: ChannelEventKind }>;
/** Kinds of events that are not about one chat. */
export const CHANNEL_EVENT_KINDS = [
  "link",
  "templates",
  "template",
  "tier",
  "cooldown",
  "restriction",
  "activity",
  "contactNames",
  "typing",
  "history",
] as const;
type ChannelEventKind = (typeof CHANNEL_EVENT_KINDS)[number];

/** A messenger's report about a channel's messages. */
export interface Report {
  readonly accountId: number;
  readonly channelId: string;
  readonly event: MessengerEvent;
  /** For a first message: the stored file with the picture of the chat. */
  readonly pictureId?: string;
  /** For a message with a file that is stored already: its id. */
  readonly fileId?: string;
  /** Of a `readUpTo` that is partly stored. */
  readonly readFrom?: ReadPosition;
}

/** A report with its chat, which may turn out to be another one when its message is stored. */
type Located<E extends MessengerEvent = MessengerEvent> = Report & {
  readonly event: E;
  chat: string;
};
export type LocatedMessage = Located<{ kind: "message"; message: InboundMessage }>;
type LocatedMove = Located<Extract<MessengerEvent, { kind: "moved" }>>;

/**
 * Stores messengers' reports, with the events that follow from them, in one transaction and in the given order.
 * Repeating a report changes nothing and publishes nothing. Returns for each report what is left to be stored in a
 * further transaction: null, or a `readUpTo` about many messages.
 */
export async function recordReports(
  core: Base & HasEarlyReports & HasChats & HasAvatars,
  reports: readonly Report[],
): Promise<readonly (Report | null)[]> {
  try {
    return await storeReports(core, reports);
  } catch (error) {
    // Another chat got the id of a new one in the meantime, by the outcome of a send or on another node. Now it is found.
    if (!isDuplicate(error)) throw error;
    clearChatCache(core);
    return storeReports(core, reports);
  }
}

async function storeReports(
  core: Base & HasEarlyReports & HasChats & HasAvatars,
  reports: readonly Report[],
): Promise<readonly (Report | null)[]> {
  const located = await locate(core, reports);
  // All reports of a large batch belong to one account, or to many with few each.
  const size = { owner: reports[0]?.accountId ?? 0, rows: reports.length };
  const { stored, told, early, left } = await core.db.bulk(size, async (tx) => {
    // The transaction may run again.
    const stored = located.map((report) => ({ ...report }));
    const { chats, rest } = await storeEarlyReports(tx, stored);
    const kept = [...chats];
    const facts: Fact[] = [];
    const left = new Map<Report, ReadPosition>();
    for (const run of runsOfOneKind(rest)) {
      const recorded = await recordRun(core, tx, run);
      facts.push(...recorded.facts);
      kept.push(...(recorded.kept ?? []));
      for (const [report, readFrom] of recorded.left ?? []) left.set(report as Located, readFrom);
      for (const found of recorded.renamed ?? []) takeAlong(found, rest);
    }
    return { stored, told: await publishRequestsAndCommit(tx, facts), early: [...new Set(kept)], left };
  });
  for (const [index, report] of stored.entries()) noteStored(core, report, located[index]?.chat);
  announce(core, told);
  applyKept(core, early);
  if (located.some(({ event }) => hasFile(event))) core.signals.notify("files");
  // Pictures are fetched in the background.
  void askForAvatars(core, stored.flatMap(avatarOf)).catch((error: unknown) =>
    core.log.debug({ err: error }, "pictures could not be requested"),
  );
  return stored.map((report, index) => {
    const readFrom = left.get(report);
    return readFrom === undefined ? null : { ...(reports[index] ?? report), readFrom };
  });
}

/** From this report on, its chat has this name. */
interface Renamed {
  readonly report: Located;
  readonly chatId: string;
}

/** Later reports with the name are about the chat that has it now. */
function takeAlong({ report, chatId }: Renamed, reports: readonly Located[]): void {
  const { channelId, chatType } = chatNameOf(report);
  for (const later of reports.slice(reports.indexOf(report) + 1)) {
    const name = chatNameOf(later);
    if (name.channelId === channelId && name.chatType === chatType && name.chatId === chatId)
      later.chat = report.chat;
  }
}

/** `expected`: the chat that was found before the transaction. */
function noteStored(core: Base & HasChats, { channelId, chat, event }: Located, expected = chat): void {
  if (event.kind === "message") {
    const { chatType, chatId, direction } = event.message;
    if (direction === "in") core.signals.notify("replies", `${channelId} ${chat}`);
    if (chat !== expected) forgetChat(core, { channelId, chatType, chatId });
    rememberChat(core, channelId, { id: chat, chatType, chatId, isNew: false });
  }
  if (event.kind === "moved") forgetNames(core, { channelId, ...event });
}

function forgetNames(
  core: Base & HasChats,
  move: { channelId: string; chatType: ChatType; chatId: string; newChatId: string },
): void {
  forgetChat(core, move);
  forgetChat(core, { ...move, chatId: move.newChatId });
}

function hasFile(event: MessengerEvent): boolean {
  if (event.kind === "message") return event.message.body.type === "media";
  if (event.kind === "edited") return event.body.type === "media";
  return event.kind === "group" && event.picture != null;
}

function avatarOf({ accountId, channelId, chat, event }: Located): Avatar[] {
  const file = event.kind === "message" ? event.message.contact.avatar : undefined;
  return file === undefined ? [] : [{ accountId, channelId, chat, file }];
}

/** Our chats of the reports, in their order. */
export async function locate<R extends Report>(
  core: Base & HasChats,
  reports: readonly R[],
): Promise<(R & { chat: string })[]> {
  const found = await resolveChats(core, reports, chatNameOf);
  return Promise.all(
    found.map(async ([report, { id, isNew }]) => {
      const former = isNew ? await formerChat(core, report) : null;
      return { ...report, chat: former ?? id };
    }),
  );
}

function chatNameOf({ accountId, channelId, event }: Report): ChatName {
  const { chatType, chatId } = chatOf(event);
  return { accountId, channelId, chatType, chatId };
}

/** A chat that is known only by a former id continues under its current one. */
async function formerChat(core: Base & HasChats, report: Report): Promise<string | null> {
  const { accountId, channelId, event } = report;
  if (event.kind !== "message" || event.message.formerChatId === undefined) return null;
  const { chatType, chatId, formerChatId } = event.message;
  const former = await resolveChat(core, { accountId, channelId, chatType, chatId: formerChatId });
  if (former.isNew) return null;
  await core.db.tx((tx) => moveChat(tx, { accountId, chat: former.id, newChatId: chatId }));
  forgetNames(core, { channelId, chatType, chatId: formerChatId, newChatId: chatId });
  return former.id;
}

/** The chat that an event is about. */
export function chatOf(event: MessengerEvent): { chatType: ChatType; chatId: string } {
  if (event.kind === "message") return event.message;
  return event.kind === "moved" || event.kind === "readUpTo" ? event : event.ref;
}

/**
 * Groups the reports into runs of one kind that are stored together. Reports of one chat keep their order: a report
 * joins a run only behind all earlier reports of its chat. A move is also a report of the chat that the new name would
 * lead to.
 */
function runsOfOneKind(reports: readonly Located[]): Located[][] {
  const runs: { readonly kind: string; readonly reports: Located[] }[] = [];
  const lastOfChat = new Map<string, number>();
  for (const report of reports) {
    const kind = kindOf(report);
    const chats = chatsOf(report);
    const from = Math.max(...chats.map((chat) => lastOfChat.get(chat) ?? 0));
    const found = runs.findIndex((run, index) => index >= from && run.kind === kind);
    const index = found === -1 ? runs.push({ kind, reports: [] }) - 1 : found;
    runs[index]?.reports.push(report);
    for (const chat of chats) lastOfChat.set(chat, index);
  }
  return runs.map((run) => run.reports);
}

function chatsOf({ channelId, chat, event }: Located): string[] {
  return event.kind === "moved"
    ? [chat, firstIdOf({ channelId, ...event, chatId: event.newChatId })]
    : [chat];
}

function kindOf({ event: { kind } }: Located): string {
  return kind === "failed" ? "receipt" : kind;
}

async function recordChanges(core: Base, tx: Queryable, run: readonly KeptReport[]): Promise<Recorded> {
  const facts: Fact[] = [];
  const kept: string[] = [];
  for (const report of run) {
    const found = await recordOne(core, tx, report);
    if (found === null && (await keepChange(tx, report))) kept.push(report.chat);
    else facts.push(...(found ?? []));
  }
  return { facts, kept };
}

type KeptReport = Omit<Located, "event"> & { readonly event: KeptChange };

function recordOne(core: Base, tx: Queryable, report: KeptReport): Promise<readonly Fact[] | null> {
  const { event } = report;
  return event.kind === "reaction"
    ? recordReaction(tx, report, event)
    : recordMessageChange(core, tx, { ...report, event });
}

interface Recorded {
  readonly facts: readonly Fact[];
  /** Reports that need a further transaction, and where it begins. */
  readonly left?: ReadonlyMap<ReadReport, ReadPosition>;
  readonly renamed?: readonly Renamed[];
  /** Chats with changes that are kept until their messages arrive. */
  readonly kept?: readonly string[];
}

async function recordRun(core: Base, tx: Queryable, run: readonly Located[]): Promise<Recorded> {
  switch (run[0]?.event.kind) {
    case "message":
      return recordMessages(core, tx, run as LocatedMessage[]);
    case "receipt":
    case "failed":
      return { facts: await recordStatusReports(core, tx, run as StatusReport[]) };
    case "readUpTo":
      return recordReadReports(core, tx, run as ReadReport[]);
    case "edited":
    case "deleted":
    case "reaction":
      return recordChanges(core, tx, run as KeptReport[]);
    case "moved":
      return { facts: [], renamed: await recordMoves(tx, run as LocatedMove[]) };
    default: {
      const facts: Fact[] = [];
      for (const report of run) facts.push(...(await recordChange(core, tx, report)));
      return { facts };
    }
  }
}

/** The columns of `messageRow`, as a statement that stores messages declares them. */
export const MESSAGE_INPUT = `account_id bigint, id uuid, channel_id uuid, chat uuid, chat_type text, chat_id text, name text, username text,
       phone text, direction text, type text, status text, text text, content jsonb, file_id uuid, file_key text,
       file_name text, file_mime text, file_size bigint, file_source jsonb, quoted_external text, quoted jsonb,
       sender jsonb, external_id text, sent_at timestamptz, is_comment boolean, is_notice boolean`;

/** Rows of `input` whose chat has another name by now, see `placement.ts`, except those that it already has. */
export const MISPLACED = `from input i
   where i.chat not in (select id from people)
     and (select true from messages m
          where m.account_id = any(array[i.account_id]) and m.chat = any(array[i.chat]) and m.external_id = i.external_id
          limit 1) is null`;

// An inbound message is unanswered unless an echo of the same chat follows; an echo answers all messages before it.
// A chat that has another name by now is left as it is, and its messages are returned as misplaced (`placement.ts`),
// except those that it already has.
const INSERT_MESSAGES = sql(
  "messages_record",
  `with input as materialized (
     select row_number() over () as ord, r.* from json_to_recordset($1::json) as r(
       ${MESSAGE_INPUT}, picture_id uuid)
   ), people as (
     insert into chats (account_id, id, channel_id, chat_type, chat_id, name, username, phone, last_inbound_at, last_direct_at, avatar_file_id)
     select distinct on (chat) account_id, chat, channel_id, chat_type, chat_id, name, username, phone,
            max(sent_at) filter (where direction = 'in' and not is_notice) over (partition by chat),
            max(sent_at) filter (where direction = 'in' and not is_notice and not is_comment) over (partition by chat),
            max(picture_id::text) over (partition by chat)::uuid
     from input order by chat, ord desc
     on conflict (account_id, id) do update set
       name = coalesce(chats.contact_name, nullif(excluded.name, ''), chats.name),
       username = coalesce(excluded.username, chats.username),
       phone = coalesce(excluded.phone, chats.phone),
       last_inbound_at = greatest(excluded.last_inbound_at, chats.last_inbound_at),
       last_direct_at = greatest(excluded.last_direct_at, chats.last_direct_at),
       avatar_file_id = coalesce(excluded.avatar_file_id, chats.avatar_file_id)
     where chats.chat_id = excluded.chat_id
     returning id
   ), added as (
     insert into messages (account_id, id, channel_id, chat, direction, type, status, text, content, file_id,
                           quoted_id, quoted, sender, external_id, sent_at)
     select account_id, id, channel_id, chat, direction, type, status, text, content, file_id,
            (select q.id from messages q
             where q.account_id = i.account_id and q.chat = i.chat and q.external_id = i.quoted_external),
            quoted, sender, external_id, sent_at
     from input i where i.chat in (select id from people) order by ord
     on conflict (account_id, chat, external_id) where external_id is not null do nothing
     returning account_id, id, channel_id, chat, external_id, direction, sent_at, text is not null as has_text,
       direction = 'in' and not coalesce(content ?| array['isSystem', 'isHistory'], false) as is_from_client
   ), waiting as (
     insert into unanswered (account_id, chat, message_id, channel_id, at)
     select account_id, chat, id, channel_id, least(sent_at, now())
     from (select *, max(ord) filter (where direction = 'echo') over (partition by chat) as answered_at
           from (select *, row_number() over () as ord from added) a) b
     where is_from_client and ord > coalesce(answered_at, 0) and sent_at > now() - interval '7 days'
   ), answered as (
     ${forgetUnanswered("select distinct account_id, chat from added where direction = 'echo'")}
   ), searched as (
     ${queueForSearch("select account_id, id from added where has_text")}
   ), ${touchChats("select account_id, chat, channel_id from added")}, kept_files as (
     insert into files (account_id, id, channel_id, key, name, mime_type, size, state, source, message_id)
     select i.account_id, i.file_id, i.channel_id, i.file_key, i.file_name, i.file_mime, i.file_size, 'waiting', i.file_source, i.id
     from input i join added a on a.id = i.id where i.file_id is not null
     on conflict (account_id, id) do update set message_id = excluded.message_id
   )
   select a.account_id, a.id, a.chat,
     a.is_from_client
       and exists (select 1 from crm_settings s where s.account_id = any(array[a.account_id]) and s.new_clients = 'in_turn')
       and ${isAnyAskedFor("a.account_id")}
       as may_be_new,
     ${hasKeptChange("a")} as is_changed, false as is_misplaced, null as named
   from added a
   union all
   select i.account_id, i.id, i.chat, false, false, true,
     (select c.chat_id from chats c where c.account_id = any(array[i.account_id]) and c.id = i.chat)
   ${MISPLACED}`,
);

interface AddedRow extends InsertedRow {
  readonly account_id: number;
  readonly chat: string;
  /** A message of a client, in an account that assigns new clients in rotation and asks its CRM for them. */
  readonly may_be_new: boolean;
  /** It was edited, deleted or reacted to before it arrived. */
  readonly is_changed: boolean;
}

async function recordMessages(core: Base, tx: Queryable, run: readonly LocatedMessage[]): Promise<Recorded> {
  const rows = run.map(messageRow);
  const index = new Map(rows.map(({ id }, index) => [id, index]));
  const placeOf = ({ id }: AddedRow): number => index.get(id) ?? 0;
  const { stored, chats } = await insertPlaced(rows, (some) =>
    tx.query<AddedRow>(INSERT_MESSAGES, [jsonRows(some)]),
  );
  const misplaced = run.filter((report, place) => putInto(report, chats.get(rows[place]?.id ?? "")));
  const added = stored.toSorted((a, b) => placeOf(a) - placeOf(b));
  const changed = added.filter((row) => row.is_changed).map(({ account_id, id }) => ({ account_id, id }));
  // Before the facts are loaded, so that receivers get one item.
  const reactions = changed.length > 0 ? await applyKeptChanges(core, tx, changed) : [];
  const keys = added.map((row) => ({ accountId: row.account_id, id: row.id }));
  const messages = await loadFacts(tx, core.settings.publicUrl, keys);
  const repeated = added.length === rows.length ? [] : repeatedOf(rows, added, chats);
  const late = await fillPlaceholders(tx, core.settings.publicUrl, repeated);
  const wrote = added
    .filter((row) => row.may_be_new)
    .map((row) => ({ accountId: row.account_id, chat: row.chat, trigger: { kind: "wrote" } as const }));
  const facts = [
    ...messages.map((message) => ({ kind: "message", message, isNew: true }) as const),
    ...late.map(messageChanged),
    ...reactions,
    ...(await askForClients(tx, wrote)),
  ];
  return { facts, renamed: misplaced.map((report) => ({ report, chatId: report.event.message.chatId })) };
}

/** Returns whether the chat is another one than expected. */
function putInto(report: Located, chat: string | undefined): boolean {
  if (chat === undefined || chat === report.chat) return false;
  report.chat = chat;
  return true;
}

/** The rows that were already stored, each with the chat that the insertion found for it. */
function repeatedOf(
  rows: readonly MessageRow[],
  added: readonly AddedRow[],
  chats: ReadonlyMap<string, string>,
): MessageRow[] {
  const ids = new Set(added.map(({ id }) => id));
  return rows.flatMap((row) => (ids.has(row.id) ? [] : [{ ...row, chat: chats.get(row.id) ?? row.chat }]));
}

function messageChanged(message: MessageFact): Fact {
  return { kind: "message", message };
}

/** The row of a reported message, for the statements that store messages. */
export function messageRow({
  accountId,
  channelId,
  chat,
  pictureId,
  fileId,
  event: { message },
}: LocatedMessage): MessageRow {
  const { type, text } = columnsOf(message.body);
  return {
    account_id: accountId,
    id: newId(),
    channel_id: channelId,
    chat,
    chat_type: message.chatType,
    chat_id: message.chatId,
    name: message.contact.name,
    username: message.contact.username,
    phone: message.contact.phone,
    direction: message.direction,
    type,
    status: message.direction === "in" ? "inbound" : "sent",
    text,
    content: contentOf(message),
    ...fileColumns(message.body, fileId),
    quoted_external: message.quoted?.externalId,
    quoted: message.quoted === undefined ? undefined : storedQuote(message.quoted),
    sender: message.sender,
    external_id: message.externalId,
    sent_at: message.sentAt,
    is_comment: message.post !== undefined,
    is_notice: message.isSystem === true,
    picture_id: pictureId,
  };
}

function contentOf(message: InboundMessage): IncomingContent | undefined {
  const { contact, body } = message;
  const { profileId } = contact;
  const content: IncomingContent = {
    ...keptFieldsOf(message),
    ...(profileId === undefined ? {} : { profileId }),
    ...(body.type === "unsupported" ? { unsupported: body.what } : {}),
    ...(body.type === "unsupported" && body.isAwaited === true ? { awaited: true } : {}),
  };
  return Object.keys(content).length === 0 ? undefined : content;
}

function fileColumns(body: MessageBody, fileId = newId()): object {
  if (body.type !== "media") return {};
  const { file } = body;
  return {
    file_id: fileId,
    file_key: newSecret(24),
    file_name: storedName({ ...file, name: safeName(file.name ?? "") }, body.media),
    file_mime: file.mimeType,
    file_size: file.size,
    file_source: file,
  };
}

function storedQuote({
  externalId,
  body,
  part,
  authorName,
  link,
}: NonNullable<InboundMessage["quoted"]>): StoredQuote {
  const { type, text } =
    body === undefined ? { type: "unknown" as MessageType, text: null } : columnsOf(body);
  return {
    externalId,
    type,
    text,
    ...(part === undefined ? {} : { part }),
    ...(authorName === undefined ? {} : { authorName }),
    ...(body?.type === "unsupported" ? { unsupported: body.what } : {}),
    // Pages put it into a link, so only http(s) addresses are kept: nothing that would run as script.
    ...(link !== undefined && /^https?:\/\//.test(link) ? { link } : {}),
  };
}

async function recordChange(
  core: Base,
  tx: Queryable,
  { accountId, channelId, chat, event }: Located,
): Promise<Fact[]> {
  const { publicUrl } = core.settings;
  switch (event.kind) {
    case "message":
    case "receipt":
    case "failed":
    case "readUpTo":
    case "moved":
      return [];
    case "edited":
    case "deleted":
    case "reaction":
      return [];
    case "group":
      return recordGroup(tx, publicUrl, { accountId, channelId, chat, event });
    case "members":
      return recordMembers(tx, publicUrl, { accountId, channelId, chat, event });
  }
}

async function recordMoves(tx: Queryable, moves: readonly LocatedMove[]): Promise<Renamed[]> {
  const renamed: Renamed[] = [];
  for (const report of moves) {
    const { newChatId } = report.event;
    if (await moveChat(tx, { accountId: report.accountId, chat: report.chat, newChatId }))
      renamed.push({ report, chatId: newChatId });
  }
  return renamed;
}
