import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { normalPhone, PHONE_RULE } from "../chat/names.ts";
import { notifyClientChange } from "../crm/client-changes.ts";
import { AppError } from "../errors.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { jsonValue } from "../json-rows.ts";
import { traitsOf } from "../transport/definition.ts";
import { authorNameOf } from "./author.ts";
import { reachChat } from "./chat-list.ts";
import type { Colleague } from "./chat-view.ts";
import type { InboxSession } from "./reach.ts";
import { notifyChat } from "./work.ts";

/** What employees noted on the person of a chat. Empty strings: nothing. */
export interface CardFields {
  /** What the person is called on the pages and in webhooks, in place of the name in the messenger. */
  readonly name: string;
  /** Digits, with the country code. */
  readonly phone: string;
  readonly email: string;
  readonly comment: string;
}

export interface CardView extends CardFields {
  readonly changed_at: string | null;
  /** Null: nothing was noted yet, other than a name from the channel owner's address book. */
  readonly changed_by: Colleague | null;
}

/** Characters. A name and an address are as long as those of the CRM's contacts and of e-mail. */
export const CARD_LENGTHS = { name: 200, phone: 50, email: 254, comment: 2_000 } as const;

interface Stored extends Omit<CardFields, "name"> {
  readonly at: string;
  readonly by: string;
  readonly byName: string | null;
}

interface Row {
  readonly name: string | null;
  readonly card: Partial<Stored> | null;
}

const LOAD = sql(
  "chat_card",
  `select c.contact_name as name, w.card from chats c
   left join chat_work w on w.account_id = any(array[c.account_id]) and w.chat = c.id
   where c.account_id = $1 and c.id = $2`,
);

/** Throws CHAT_NOT_FOUND, and FORBIDDEN for a group. */
export async function getCard(core: Base, session: InboxSession, chat: string): Promise<CardView> {
  await reachPerson(core, session, chat);
  return loadCard(core, session, chat);
}

async function loadCard({ db }: Base, { scope }: InboxSession, chat: string): Promise<CardView> {
  const [row] = await db.query<Row>(LOAD, [scope.accountId, chat]);
  const { phone = "", email = "", comment = "", at, by, byName = null } = row?.card ?? {};
  return {
    name: row?.name ?? "",
    phone,
    email,
    comment,
    changed_at: at ?? null,
    changed_by: by === undefined ? null : { id: by, name: byName },
  };
}

// The merge of two chats of a person also locks first the work, and then the chat. Without a name, the next message
// brings the one in the messenger.
const CHANGE = sql(
  "chat_card_change",
  `with work as (
     insert into chat_work as w (account_id, chat, channel_id, card) values ($1, $2, $3, $4)
     on conflict (account_id, chat) do update set card = coalesce(w.card, '{}') || excluded.card
   )
   update chats c set contact_name = nullif($6, ''), contact_name_at = now(), name = coalesce(nullif($6, ''), c.name)
   where $5 and c.account_id = $1 and c.id = $2`,
);

/**
 * Notes something on the person of a chat; omitted fields keep their values, so that two employees who change different
 * fields at once do not undo each other's change. Idempotent. The CRM's contact is left as it is: it belongs to the CRM,
 * which sees the name in later messages, and in the request for a contact if it has none. Throws CHAT_NOT_FOUND,
 * FORBIDDEN for a group, VALIDATION_ERROR.
 */
export async function changeCard(
  core: Base & HasLive,
  session: InboxSession,
  chat: string,
  change: Partial<CardFields>,
): Promise<CardView> {
  const channelId = await reachPerson(core, session, chat);
  const before = await loadCard(core, session, chat);
  const { name, ...noted } = changesOf(before, normalFields(change));
  if (name === undefined && Object.keys(noted).length === 0) return before;
  const { accountId } = session.scope;
  const by = { by: session.opening.userId, byName: await authorNameOf(core, session) };
  const card = { ...noted, ...by, at: core.clock.now().toISOString() };
  const values = [accountId, chat, channelId, jsonValue(card), name !== undefined, name ?? ""];
  await core.db.query(CHANGE, values);
  notifyClientChange(core, accountId, chat);
  if (name !== undefined) notifyChat(core, accountId, chat);
  return loadCard(core, session, chat);
}

/** Returns our id of the chat's channel. */
async function reachPerson(core: Base, session: InboxSession, chat: string): Promise<string> {
  const { channel_id: channelId, chat_type: chatType } = await reachChat(core, session, chat);
  if (traitsOf(chatType)?.group !== true) return channelId;
  throw new AppError("FORBIDDEN", { description: "A group has no contact card" });
}

/** The fields that differ from what is stored. Pure. */
function changesOf(before: CardView, change: Partial<CardFields>): Partial<CardFields> {
  const names = Object.keys(change) as (keyof CardFields)[];
  return Object.fromEntries(
    names.filter((key) => change[key] !== before[key]).map((key) => [key, change[key]]),
  );
}

/** As they are stored. Throws VALIDATION_ERROR. Exported for its test. */
export function normalFields(change: Partial<CardFields>): Partial<CardFields> {
  const trimmed = Object.fromEntries(
    Object.entries(change).map(([key, value]) => [key, value.trim()]),
  ) as Partial<CardFields>;
  const { phone = "", email = "" } = trimmed;
  const digits = phone === "" ? "" : normalPhone(phone);
  const faults = [
    ...(digits === null ? [{ field: "phone", message: PHONE_RULE }] : []),
    ...(email === "" || /^[^\s@]+@[^\s@]+$/.test(email)
      ? []
      : [{ field: "email", message: "must be an e-mail address" }]),
  ];
  if (faults.length > 0) throw new AppError("VALIDATION_ERROR", { data: { fields: faults } });
  return trimmed.phone === undefined ? trimmed : { ...trimmed, phone: digits ?? "" };
}
