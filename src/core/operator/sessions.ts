import { type Queryable, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { Seal } from "../../platform/seal.ts";
import { hashToken, newToken } from "../account/tokens.ts";
import type { Base } from "../base.ts";
import { OPERATOR_COLUMNS, type Operator } from "./operators.ts";

/** A session without activity ends after this time, */
const IDLE_SECONDS = 30 * 60;
/** and every session after this time. */
export const ABSOLUTE_SECONDS = 12 * 3600;

/** A session of the console. */
export interface ConsoleSession {
  readonly id: string;
  readonly operator: Operator;
}

/** Where the user signed in from. */
export interface Origin {
  readonly address: string;
  readonly agent: string;
}

const INSERT = sql(
  "operator_session_insert",
  `with signed_in as (update operators set signed_in_at = now() where id = $2)
   insert into operator_sessions (id, operator_id, hash, expires_at, address, agent, id_token)
   values ($1, $2, $3, now() + $6 * interval '1 second', $4, $5, $7)`,
);

/** What a session after a sign-in at a provider has besides. */
interface FromProvider {
  readonly seconds: number;
  readonly seal: Seal;
  readonly idToken: string | null;
}

/** The context to which the sealed ID token is bound. */
export function idTokenContext(sessionId: string): string {
  return `operator session ${sessionId}`;
}

/** Returns the value of the session's cookie. */
export async function openConsoleSession(
  { db, settings }: { readonly db: Queryable; readonly settings: Pick<Base["settings"], "cell"> },
  operatorId: string,
  { address, agent }: Origin,
  fromProvider?: FromProvider,
): Promise<string> {
  const token = newToken("console", settings.cell);
  const id = newId();
  const { seconds = ABSOLUTE_SECONDS, seal, idToken = null } = fromProvider ?? {};
  const sealed = idToken === null ? null : (seal?.seal(idToken, idTokenContext(id)) ?? null);
  await db.query(INSERT, [id, operatorId, hashToken(token), address, agent.slice(0, 300), seconds, sealed]);
  return token;
}

const ALIVE = `s.expires_at > now() and s.seen_at > now() - interval '${IDLE_SECONDS} seconds'`;
const FIND = sql(
  "operator_session_find",
  `select s.id as "sessionId", s.seen_at < now() - interval '1 minute' as stale, ${OPERATOR_COLUMNS}
   from operator_sessions s join operators o on o.id = s.operator_id where s.hash = $1 and ${ALIVE}`,
);
const SEEN = sql("operator_session_seen", "update operator_sessions set seen_at = now() where id = $1");

/**
 * Null if the token is unknown, or the session has ended. `active`: the request was caused by the user; automatic
 * requests of the page do not extend a session.
 */
export async function findConsoleSession(
  db: Queryable,
  token: string,
  { active }: { readonly active: boolean },
): Promise<ConsoleSession | null> {
  const [row] = await db.query<Operator & { sessionId: string; stale: boolean }>(FIND, [hashToken(token)]);
  if (row === undefined) return null;
  const { sessionId: id, stale, ...operator } = row;
  if (active && stale) await db.query(SEEN, [id]);
  return { id, operator };
}

/** A session as its owner sees it. */
export interface ListedSession extends Origin {
  readonly id: string;
  readonly createdAt: Date;
  readonly seenAt: Date;
  readonly expiresAt: Date;
}

const LIST = sql(
  "operator_sessions_list",
  `select s.id, s.created_at as "createdAt", s.seen_at as "seenAt", s.expires_at as "expiresAt", s.address, s.agent
   from operator_sessions s where s.operator_id = $1 and ${ALIVE} order by s.created_at desc`,
);

export function listConsoleSessions(db: Queryable, operatorId: string): Promise<ListedSession[]> {
  return db.query<ListedSession>(LIST, [operatorId]);
}

const END = sql(
  "operator_session_end",
  `delete from operator_sessions where operator_id = $1 and id = $2 returning id_token as "idToken"`,
);

/** Ends a session. `ended` false: the user has no such session. `idToken`: see `openConsoleSession`. */
export async function endConsoleSession(
  { db, seal }: Pick<Base, "db" | "seal">,
  operatorId: string,
  id: string,
): Promise<{ readonly ended: boolean; readonly idToken: string | null }> {
  const [row] = await db.query<{ idToken: Buffer | null }>(END, [operatorId, id]);
  const sealed = row?.idToken ?? null;
  return {
    ended: row !== undefined,
    idToken: sealed === null ? null : seal.open(sealed, idTokenContext(id)).toString(),
  };
}
