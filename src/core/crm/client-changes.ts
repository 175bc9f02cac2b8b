import { type Database, sql } from "../../database/database.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { Base } from "../base.ts";
import { findNamed } from "../chat/by-name.ts";
import type { HasLive } from "../event/live-notifier.ts";
import type { Scope } from "../scope.ts";
import type { ChatType } from "../transport/definition.ts";

type Parts = Pick<Base, "db" | "log"> & HasLive;

/** The CRM entities that change, by the CRM's ids. */
export interface CrmEntities {
  readonly contacts?: readonly string[];
  readonly deals?: readonly string[];
}

/** A change that concerns more names than this is not published for all of them; pages also poll once a minute. */
const MAX_NAMES = 500;
const NAMES = sql(
  "live_names_of_contacts",
  `select k.chat_type, k.chat_id, k.username, k.phone from contact_chats k
   where k.account_id = $1 and k.contact_id = any(
     $2::text[] || array(select d.contact_id::text from deal_contacts d where d.account_id = $1 and d.deal_id = any($3)))
   limit ${MAX_NAMES}`,
);

/**
 * Runs `work`, which changes contacts or deals, then notifies open pages of the chats whose client may have changed:
 * those linked to the contact before and those linked now. Only runs `work` if no page follows the account. A failed
 * notification is logged and does not fail the call.
 */
export async function notifyingClientChanges<T>(
  core: Parts,
  { accountId }: Scope,
  entities: CrmEntities,
  work: () => Promise<T>,
): Promise<T> {
  if (!core.live.follows(accountId)) return work();
  const affected = () =>
    chatsOf(core.db, accountId, entities).catch((error: unknown) => {
      core.log.debug(
        { reason: messageOf(error) },
        "open pages were not notified of a client's change; they poll once a minute",
      );
      return [];
    });
  const before = await affected();
  const result = await work();
  for (const chat of new Set([...before, ...(await affected())])) notifyClientChange(core, accountId, chat);
  return result;
}

/** Notifies open pages that the client of this chat (our uuid) may have changed. */
export function notifyClientChange({ live }: HasLive, accountId: number, chat: string): void {
  live.notify({ accountId, about: "client", chat, subject: chat });
}

async function chatsOf(
  db: Database,
  accountId: number,
  { contacts = [], deals = [] }: CrmEntities,
): Promise<string[]> {
  const rows = await db.query<{
    chat_type: ChatType;
    chat_id: string | null;
    username: string | null;
    phone: string | null;
  }>(NAMES, [accountId, contacts, deals]);
  const names = rows.map(({ chat_type: chatType, chat_id: chatId, username, phone }) => ({
    chatType,
    chatId,
    username,
    phone,
  }));
  return names.length === 0 ? [] : (await findNamed(db, accountId, names)).map(({ id }) => id);
}
