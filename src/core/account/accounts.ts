import { createHash, randomInt } from "node:crypto";
import { type Database, type Queryable, sql } from "../../database/database.ts";
import { newId, newSecret } from "../../platform/ids.ts";

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
}

/** `access` opens /v2; `api` opens /v3; `sidecar` opens a part of /v3. */
export type TokenKind = "access" | "api" | "sidecar";
export const TOKEN_KINDS: readonly TokenKind[] = ["access", "api", "sidecar"];

/** An issued token; `token` is never seen again. */
export interface IssuedToken {
  readonly id: string;
  readonly token: string;
}

/** A new account with one access token and one API key. */
export async function createAccount(
  db: Database,
  { name }: { readonly name: string },
): Promise<{ accountId: number; accessToken: string; apiKey: string }> {
  return db.tx(async (tx) => {
    const accountId = await insertAccount(tx, name);
    const access = await createToken(tx, accountId, "access");
    const api = await createToken(tx, accountId, "api");
    return { accountId, accessToken: access.token, apiKey: api.token };
  });
}

const INSERT = sql(
  "account_insert",
  "insert into accounts (id, name) values ($1, $2) on conflict do nothing returning id",
);

/** Account ids are eight random digits, so that they tell nothing of how many there are. */
async function insertAccount(tx: Queryable, name: string): Promise<number> {
  for (;;) {
    const id = randomInt(10_000_000, 100_000_000);
    if ((await tx.query(INSERT, [id, name])).length > 0) return id;
  }
}

const LIST = sql("account_list", "select id, name, created_at from accounts order by created_at, id");

export async function listAccounts(db: Queryable): Promise<Account[]> {
  const rows = await db.query<{ id: number; name: string; created_at: Date }>(LIST, []);
  return rows.map(({ id, name, created_at: createdAt }) => ({ id, name, createdAt }));
}

const PREFIX: Readonly<Record<TokenKind, string>> = { access: "tl_at_", api: "tl_ak_", sidecar: "tl_sk_" };
const INSERT_TOKEN = sql(
  "token_insert",
  `insert into tokens (hash, account_id, id, kind, hint)
   select $1, id, $3, $4, $5 from accounts where id = $2 returning id`,
);

/** Only the hash is stored. Throws when there is no such account. */
export async function createToken(db: Queryable, accountId: number, kind: TokenKind): Promise<IssuedToken> {
  const token = `${PREFIX[kind]}${newSecret(32)}`;
  const id = newId();
  const rows = await db.query(INSERT_TOKEN, [hashToken(token), accountId, id, kind, token.slice(-4)]);
  if (rows.length === 0)
    throw new Error(`There is no account ${accountId}; \`account list\` shows those there are`);
  return { id, token };
}

const REVOKE = sql(
  "token_revoke",
  "update tokens set revoked_at = now() where (hash = $1 or id::text = $2) and revoked_at is null returning hash",
);

/** By the token itself or its id; nodes refuse it within moments. False: no such token, or revoked before. */
export async function revokeToken(db: Database, tokenOrId: string): Promise<boolean> {
  const [row] = await db.query<{ hash: Buffer }>(REVOKE, [hashToken(tokenOrId), tokenOrId]);
  if (row !== undefined) db.notify("tokens", row.hash.toString("hex"));
  return row !== undefined;
}

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
