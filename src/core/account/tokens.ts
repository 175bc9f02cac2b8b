import { createHash } from "node:crypto";
import { type Database, type Queryable, sql } from "../../database/database.ts";
import { isUuid, newId, newSecret } from "../../platform/ids.ts";
import { audit, together } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { cellName } from "../cell.ts";
import type { Scope } from "../scope.ts";

/**
 * The interface that a token is valid for: `access` for /v2, `agent` for reading in /v2 and for proposing messages, `api`
 * for /v3, `sidecar` for a part of /v3.
 */
export type TokenKind = "access" | "agent" | "api" | "sidecar";
export const TOKEN_KINDS: readonly TokenKind[] = ["access", "agent", "api", "sidecar"];

/** A new token; `token` cannot be retrieved later. */
export interface IssuedToken {
  readonly id: string;
  readonly token: string;
}

const PREFIX = {
  access: "tl_at_",
  agent: "tl_ag_",
  api: "tl_ak_",
  sidecar: "tl_sk_",
  refresh: "tl_rt_",
  machine: "tl_mt_",
  code: "tl_ac_",
  page: "tl_pt_",
  console: "tl_cs_",
  link: "tl_cl_",
};

type Purpose = keyof typeof PREFIX;

/** Creates a secret whose prefix states its purpose, and the cell that issued it. */
export type Mint = (purpose: Purpose) => string;

/**
 * A secret with its prefix: `tl_at_SECRET`, and `tl_at_CELL.SECRET` in a cell with a name. No other part contains a dot, so
 * that a load balancer can tell the two forms apart. `cell` null: an installation without names.
 */
export function newToken(purpose: Purpose, cell: string | null): string {
  return tokenOf(purpose, cell, newSecret(32));
}

function tokenOf(purpose: Purpose, cell: string | null, secret: string): string {
  return `${PREFIX[purpose]}${cell === null ? "" : `${cell}.`}${secret}`;
}

/** The cell that issued the token, as it says itself; null if it names none. */
export function cellOfToken(token: string): string | null {
  return TOKEN_WITH_CELL.exec(token)?.[1] ?? null;
}

const TOKEN_WITH_CELL = /^tl_[a-z]{2}_([a-z][a-z0-9]{0,7})\./;

/** Creates the same tokens for the same operation, so that a lost response can be returned again. */
export function mintFor(
  { seal, settings }: Pick<Base, "seal" | "settings">,
  operationId: string | null,
): Mint {
  if (operationId === null) return (purpose) => newToken(purpose, settings.cell);
  return (purpose) =>
    tokenOf(purpose, settings.cell, seal.derive("token", operationId, purpose).toString("base64url"));
}

/** The stored form of a token: SHA-256 suffices, because tokens have 256 random bits. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The last characters of a token, by which its owner can identify it. */
export function hintOf(token: string): string {
  return token.slice(-4);
}

const INSERT = sql(
  "token_insert",
  `insert into tokens (hash, account_id, id, kind, hint)
   select $1, id, $3, $4, $5 from accounts where id = $2 returning id`,
);

/** Creates a token that does not expire and has all permissions of its kind. Throws if there is no such account. */
export async function createToken(db: Queryable, accountId: number, kind: TokenKind): Promise<IssuedToken> {
  const id = newId();
  return together(db, async (tx) => {
    const token = newToken(kind, await cellName(tx));
    const rows = await tx.query(INSERT, [hashToken(token), accountId, id, kind, hintOf(token)]);
    if (rows.length === 0)
      throw new Error(`There is no account ${accountId}; \`account list\` shows those there are`);
    await audit(tx, { accountId, action: "token.create", subject: id, details: { kind } });
    return { id, token };
  });
}

/** A token as an operator sees it. */
export interface TokenRecord {
  readonly id: string;
  readonly kind: TokenKind;
  /** Its last four characters. */
  readonly hint: string;
  readonly createdAt: Date;
  /** With a precision of about a minute. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** The application it was issued to, or null if an operator issued it. */
  readonly application: string | null;
}

const LIST = sql(
  "tokens_list",
  `select t.id, t.kind, t.hint, t.created_at as "createdAt", t.last_used_at as "lastUsedAt",
     t.expires_at as "expiresAt", t.revoked_at as "revokedAt", coalesce(c.name, p.email) as application
   from tokens t
   left join oauth_grants g on g.id = t.grant_id
   left join oauth_clients c on c.id = g.client_id
   left join partners p on p.id = g.partner_id
   where t.account_id = $1 order by t.created_at, t.id`,
);

/** All stored tokens of the account, oldest first. */
export async function listTokens(db: Queryable, { accountId }: Scope): Promise<TokenRecord[]> {
  return db.query<TokenRecord>(LIST, [accountId]);
}

const REVOKE = sql(
  "token_revoke",
  `update tokens set revoked_at = now() where hash = $1 and revoked_at is null
   returning hash, id, account_id as "accountId"`,
);
const REVOKE_BY_ID = sql(
  "token_revoke_by_id",
  `update tokens set revoked_at = now() where id = $1 and revoked_at is null
   returning hash, id, account_id as "accountId"`,
);

interface RevokedToken {
  readonly hash: Buffer;
  readonly id: string;
  readonly accountId: number;
}

/**
 * By the token itself or its id. Nodes reject it within moments. Returns false if there is no such token, or it was
 * revoked before.
 */
export async function revokeToken(db: Database, tokenOrId: string): Promise<boolean> {
  const rows = await db.tx(async (tx) => {
    const revoked = isUuid(tokenOrId)
      ? await tx.query<RevokedToken>(REVOKE_BY_ID, [tokenOrId])
      : await tx.query<RevokedToken>(REVOKE, [hashToken(tokenOrId)]);
    for (const { accountId, id } of revoked)
      await audit(tx, { accountId, action: "token.revoke", subject: id });
    return revoked;
  });
  announceRevoked(db, rows);
  return rows.length > 0;
}

/** Notifies all nodes, after the commit, that these tokens are revoked. */
export function announceRevoked(db: Database, tokens: readonly { readonly hash: Buffer }[]): void {
  for (const { hash } of tokens) db.notify("tokens", hash.toString("hex"));
}

const ALIVE = sql(
  "token_alive",
  "select 1 from tokens where id = $1 and revoked_at is null and (expires_at is null or expires_at > now())",
);

/** Whether the token is still valid, read from the database: for decisions that must not depend on a cache. */
export async function isTokenAlive(db: Queryable, id: string): Promise<boolean> {
  return (await db.query(ALIVE, [id])).length > 0;
}
