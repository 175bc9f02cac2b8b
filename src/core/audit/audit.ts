import { type Database, type Queryable, sql, type Transaction } from "../../database/database.ts";
import { jsonValue } from "../json-rows.ts";
import { type Page, pageOf, readCursor, writeCursor } from "../page.ts";
import { currentActor } from "./actor.ts";

/** The recorded actions, grouped by their subject. */
export const AUDIT_ACTIONS = [
  "account.create",
  "account.frames",
  "account.move",
  "account.move_revoke",
  "token.create",
  "token.revoke",
  "partner.create",
  "partner.password",
  "oauth_client.create",
  "grant.consent",
  "grant.create",
  "grant.revoke",
  "channel.create",
  "channel.reinit",
  "channel.delete",
  "channel.paid",
  "channel.unpaid",
  "channel.pacing",
  "channel.rename",
  "webhook.settings",
  "webhook.subscribe",
  "webhook.change",
  "webhook.unsubscribe",
  "webhook.secret",
  "webhook.receiver",
  "webhook.pause",
  "webhook.resume",
  "webhook.replay",
  "webhook.discard",
  "operator.invite",
  "operator.create",
  "operator.reset",
  "operator.remove",
  "operator.password",
  "operator.second_factor",
  "operator.sign_in",
  "operator.change",
  "operator.refuse",
  "alert.test",
  "channel.stop",
  "channel.go_on",
  "channel.clear",
  "channel.record",
  "channel.record_end",
  "inbound.replay",
  "inbound.remove",
  "crm.settings",
  "crm.user",
  "message.export",
  "canned_answer.create",
  "canned_answer.change",
  "canned_answer.delete",
  "proposal.create",
  "proposal.approve",
  "proposal.decline",
  "installation.key",
  "installation.export",
  "installation.import",
  "installation.sink",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface AuditEntry {
  /** Null for the whole installation. */
  readonly accountId: number | null;
  readonly action: AuditAction;
  /** Id of the changed object. */
  readonly subject?: string;
  /** Further details of the change; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const ADD = sql(
  "audit_add",
  `insert into audit_log (account_id, actor_kind, actor_id, origin, action, subject, details)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

/** Records a change with the current actor, in the transaction of the change. */
export async function audit(tx: Queryable, entry: AuditEntry): Promise<void> {
  const { accountId, action, subject = "", details = {} } = entry;
  const { kind, id, from } = currentActor();
  await tx.query(ADD, [accountId, kind, id, from, action, subject, jsonValue(details)]);
}

/** Runs the work in a transaction: the caller's, if it passes one. */
export function together<T>(db: Database | Queryable, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return "tx" in db ? db.tx((tx: Transaction) => work(tx)) : work(db);
}

/** An address without the parts that may contain secrets. */
export function withoutSecrets(address: string): string {
  const url = URL.parse(address);
  return url === null ? "" : `${url.origin}${url.pathname}`;
}

export interface AuditRecord extends Required<AuditEntry> {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  readonly actorId: string;
  readonly from: string;
}

export interface AuditSearch {
  /** Undefined for all accounts and the installation. */
  readonly accountId?: number;
  readonly action?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** If the account is given, the order starts with it too, so that its index is read from the end. */
const listStatement = (condition: string, order: string): string => `
  select id, at, account_id as "accountId", actor_kind as actor, actor_id as "actorId", origin as "from", action, subject, details
  from audit_log
  where ${condition} id < coalesce($2::bigint, 9223372036854775807) and ($1::text is null or action = $1)
  order by ${order} limit $3`;
const LIST = sql("audit_list", listStatement("", "id desc"));
const LIST_OF_ACCOUNT = sql(
  "audit_list_of_account",
  listStatement("account_id = $4 and", "account_id desc, id desc"),
);

/** Newest first. Throws VALIDATION_ERROR for a cursor that was not returned by this function. */
export async function listAudit(db: Queryable, search: AuditSearch): Promise<Page<AuditRecord>> {
  const { accountId, action = null, limit, cursor } = search;
  const before = cursor === undefined ? null : Number(readCursor(cursor, /^(\d{1,15}) (0)$/)[0]);
  const values = [action, before, limit + 1];
  const rows =
    accountId === undefined
      ? await db.query<AuditRecord>(LIST, values)
      : await db.query<AuditRecord>(LIST_OF_ACCOUNT, [...values, accountId]);
  return pageOf(rows, limit, ({ id }) => writeCursor(id, 0));
}
