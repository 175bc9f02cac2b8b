import { randomInt } from "node:crypto";
import { type Database, type Queryable, sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { idRange } from "../cell.ts";
import { AppError } from "../errors.ts";
import { storable } from "../json-rows.ts";
import { checkAccounts } from "../quota/accounts.ts";
import { createToken } from "./tokens.ts";

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
}

/** Creates an account with one access token and one API key. */
export async function createAccount(
  db: Database,
  { name }: { readonly name: string },
): Promise<{ accountId: number; accessToken: string; apiKey: string }> {
  return db.tx(async (tx) => {
    const accountId = await insertAccount(tx, (id) => tx.query<Account>(INSERT, [id, name]));
    await audit(tx, { accountId, action: "account.create" });
    const access = await createToken(tx, accountId, "access");
    const api = await createToken(tx, accountId, "api");
    return { accountId, accessToken: access.token, apiKey: api.token };
  });
}

const INSERT = sql(
  "account_insert",
  "insert into accounts (id, name) values ($1, $2) on conflict (id) do nothing returning id",
);

// See the migration `event_sink`.
const ALIGN_SINK = sql("account_align_sink", "select align_sink($1)");

/** Account ids are random within the range of the cell, so that they do not reveal the number of accounts. */
async function insertAccount(
  tx: Queryable,
  insert: (id: number) => Promise<Pick<Account, "id">[]>,
): Promise<number> {
  const { first, last } = await idRange(tx);
  for (;;) {
    const [inserted] = await insert(randomInt(first, last + 1));
    if (inserted === undefined) continue;
    await tx.query(ALIGN_SINK, [inserted.id]);
    return inserted.id;
  }
}

const LIST = sql("account_list", "select id, name, created_at from accounts order by created_at, id");

export async function listAccounts(db: Queryable): Promise<Account[]> {
  const rows = await db.query<{ id: number; name: string; created_at: Date }>(LIST, []);
  return rows.map(({ id, name, created_at: createdAt }) => ({ id, name, createdAt }));
}

const IS_ACCOUNT = sql("account_exists", "select 1 from accounts where id = $1");

export async function isAccount(db: Queryable, accountId: number): Promise<boolean> {
  return (await db.query(IS_ACCOUNT, [accountId])).length > 0;
}

/** What a partner states about the account of one of its clients. */
export interface ClientAccount {
  readonly name: string;
  readonly lang: string;
  readonly currency: string;
  readonly country: string;
  /** Offset from UTC in hours, -12 to 14. */
  readonly timezone: number;
}

const INSERT_CLIENT = sql(
  "client_account_insert",
  `insert into accounts (id, partner_id, name, lang, currency, country, timezone, operation_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (id) do nothing returning id`,
);
const BY_OPERATION = sql(
  "client_account_by_operation",
  "select id from accounts where operation_id = $1 and partner_id = $2",
);

/**
 * Creates an account of the partner, without tokens: the partner obtains those by token exchange. Idempotent: the
 * same operation id returns the account created first. Throws QUOTA_EXCEEDED.
 */
export async function createClientAccount(
  { db, settings }: Pick<Base, "db" | "settings">,
  partnerId: number,
  account: ClientAccount,
  operationId: string | null,
): Promise<number> {
  const { lang, currency, country, timezone } = account;
  const facts = [partnerId, storable(account.name), lang, currency, country, timezone, operationId];
  return db.tx(async (tx) => {
    const [made] =
      operationId === null ? [] : await tx.query<Account>(BY_OPERATION, [operationId, partnerId]);
    if (made !== undefined) return made.id;
    await checkAccounts(tx, partnerId, settings.quotas);
    const accountId = await insertAccount(tx, (id) => tx.query<Account>(INSERT_CLIENT, [id, ...facts]));
    await audit(tx, { accountId, action: "account.create", details: { partnerId } });
    return accountId;
  });
}

const FIND_CLIENT = sql(
  "client_account_find",
  "select id, name, lang, currency, country, timezone from accounts where id = $1 and partner_id = $2",
);

/** Throws ACCOUNT_NOT_FOUND if the account does not exist or does not belong to the partner. */
export async function getClientAccount(
  db: Queryable,
  partnerId: number,
  accountId: number,
): Promise<ClientAccount & { readonly id: number }> {
  const [row] = await db.query<ClientAccount & { id: number }>(FIND_CLIENT, [accountId, partnerId]);
  if (row === undefined) throw new AppError("ACCOUNT_NOT_FOUND");
  return row;
}

const NAME = sql("account_name", "select name from accounts where id = $1");

/** The account's name; "" if it has none. */
export async function accountName(db: Queryable, accountId: number): Promise<string> {
  const [row] = await db.query<{ name: string }>(NAME, [accountId]);
  return row?.name ?? "";
}
