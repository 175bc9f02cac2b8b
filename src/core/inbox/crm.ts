import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { personOfNickname } from "../chat/nickname.ts";
import { isAskedFor } from "../crm/asked.ts";
import { CONTACT_OF_CHAT } from "../crm/client.ts";
import { orderDeal } from "../crm/creations.ts";
import { AppError } from "../errors.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { traitsOf } from "../transport/definition.ts";
import { reachChat } from "./chat-list.ts";
import type { InboxSession } from "./reach.ts";

interface Responsible {
  readonly id: string;
  readonly name: string | null;
}

interface Contact {
  readonly id: string;
  readonly name: string;
  readonly uri: string | null;
  readonly responsible: Responsible | null;
}

/** The data that the CRM has uploaded about the person of a chat. */
export interface ClientView {
  readonly contact: Contact | null;
  readonly deals: (Contact & { readonly closed: boolean })[];
  /** The CRM is subscribed to such requests, also for a contact if there is none, and the chat is not a group. */
  readonly can_create_deal: boolean;
  /** A request for this client waits for the CRM's response. */
  readonly is_asked: boolean;
}

const CONTACT = sql(
  "inbox_contact",
  `select p.id, p.name, p.uri, p.responsible_user_id as user_id,
          (select u.name from crm_users u where u.account_id = p.account_id and u.id = p.responsible_user_id) as user_name
   from chats c cross join lateral (${CONTACT_OF_CHAT}) k
   join contacts p on p.account_id = any(array[c.account_id]) and p.id = k.contact_id
   where c.account_id = $1 and c.id = $2`,
);
const DEALS = sql(
  "inbox_deals",
  `select d.id, d.name, d.uri, d.closed, d.responsible_user_id as user_id,
          (select u.name from crm_users u where u.account_id = d.account_id and u.id = d.responsible_user_id) as user_name
   from deal_contacts e join deals d on d.account_id = any(array[e.account_id]) and d.id = e.deal_id
   where e.account_id = $1 and e.contact_id = $2 order by d.closed, d.created_at desc, d.id limit 100`,
);
const STATE = sql(
  "inbox_creation_state",
  `select ${isAskedFor("deal", "$1::bigint")} as takes_deals,
          ${isAskedFor("contact", "$1::bigint")} as takes_contacts,
          exists (select 1 from client_creations r where r.account_id = $1 and r.chat_type = $2 and r.chat_id = $3) as is_asked`,
);

interface Row {
  readonly id: string;
  readonly name: string;
  readonly uri: string | null;
  readonly user_id: string;
  readonly user_name: string | null;
}

interface State {
  readonly takes_deals: boolean;
  readonly takes_contacts: boolean;
  readonly is_asked: boolean;
}

/** Throws CHAT_NOT_FOUND, and FORBIDDEN on a page that may not show contacts and deals. */
export async function getClient(core: Base, session: InboxSession, chat: string): Promise<ClientView> {
  const { chat_type: chatType, chat_id: chatId } = await reachChat(core, session, chat);
  refuseWithoutCrm(session);
  const { accountId } = session.scope;
  const [[contact], [state]] = await Promise.all([
    core.db.query<Row>(CONTACT, [accountId, chat]),
    core.db.query<State>(STATE, [accountId, chatType, chatId]),
  ]);
  const deals =
    contact === undefined
      ? []
      : await core.db.query<Row & { closed: boolean }>(DEALS, [accountId, contact.id]);
  return {
    contact: contact === undefined ? null : entityOf(contact),
    deals: deals.map((row) => ({ ...entityOf(row), closed: row.closed })),
    can_create_deal:
      state?.takes_deals === true &&
      (contact !== undefined || (state.takes_contacts && personOfNickname({ chatType, chatId }) === null)) &&
      traitsOf(chatType)?.group !== true,
    is_asked: state?.is_asked === true,
  };
}

function entityOf({ id, name, uri, user_id: userId, user_name: userName }: Row): Contact {
  return { id, name, uri, responsible: userId === "" ? null : { id: userId, name: userName } };
}

/** Requests a deal with the chat's client from the CRM, as `orderDeal`. Throws CHAT_NOT_FOUND, and FORBIDDEN as `getClient`. */
export async function createDeal(
  core: Base & HasLive,
  session: InboxSession,
  chat: string,
): Promise<{ readonly asked: boolean }> {
  await reachChat(core, session, chat);
  refuseWithoutCrm(session);
  return { asked: await orderDeal(core, session.scope, { chat, userId: session.opening.userId }) };
}

function refuseWithoutCrm({ opening }: InboxSession): void {
  if (opening.crm) return;
  throw new AppError("FORBIDDEN", {
    description: 'The page was opened by a token without the scope "crm"',
  });
}
