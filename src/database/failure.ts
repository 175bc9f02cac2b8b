import pg from "pg";
import { messageOf } from "../platform/message-of.ts";

/** No connection was available in time. Nothing was sent, so the call is safe to repeat. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
}

/** The server is in recovery: it only repeats the changes of a primary, until it is promoted. */
export class ServerIsStandby extends Error {
  override readonly name = "ServerIsStandby";
  constructor() {
    super("the server is a standby (it is in recovery)");
  }
}

/** What to do about a pooler between the service and PostgreSQL. */
export const SESSION_POOLING =
  "The service needs a session of its own for each connection (LISTEN, prepared statements, advisory locks, settings): set pool_mode = session in PgBouncer, for this database or user, or let DATABASE_URL lead to PostgreSQL itself.";

/** A connection pooler runs the statements of one connection in changing sessions of the server. */
export class PoolerUnsuitable extends Error {
  override readonly name = "PoolerUnsuitable";
  constructor() {
    super(
      `A connection pooler in front of PostgreSQL changes the session between statements (transaction pooling). ${SESSION_POOLING}`,
    );
  }
}

/**
 * The startup parameter that a connection pooler refused, as PgBouncer does with those that it does not know; undefined
 * for other errors.
 */
export function refusedParameter(error: unknown): string | undefined {
  if (sqlState(error) !== "08P01") return undefined;
  return /^unsupported startup parameter: (.+)$/.exec(messageOf(error))?.[1];
}

/** The error for a caller that got no connection because of this problem, after `waitMs` if it has waited. */
export function unavailable(problem: unknown, waitMs?: number): DatabaseUnavailable {
  const duration = waitMs === undefined ? "" : ` for ${waitMs} ms`;
  return new DatabaseUnavailable(textOf(problem, duration), { cause: problem });
}

function textOf(problem: unknown, duration: string): string {
  const reason = messageOf(problem);
  if (problem instanceof ServerIsStandby)
    return `PostgreSQL could not be used${duration}: ${reason}. Promote it, or check that DATABASE_URL leads to the primary.`;
  if (isAtConnectionLimit(problem))
    return `PostgreSQL accepted no more connections${duration}: ${reason}. Raise its connection limit, or lower DATABASE_POOL_MAX.`;
  return `PostgreSQL could not be reached${duration}: ${reason}. Check that it is running and that DATABASE_URL is correct.`;
}

/**
 * The connection broke during a statement. Whether the statement or transaction took effect is unknown, unless
 * `rolledBack` is true: COMMIT was not sent, and the call is safe to repeat.
 */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  readonly rolledBack: boolean;
  constructor(cause: unknown, options: { rolledBack: boolean }) {
    const effect = options.rolledBack ? "it had no effect" : "it may or may not have taken effect";
    super(
      `The connection to PostgreSQL broke in the middle of a statement (${messageOf(cause)}); ${effect}.`,
      {
        cause,
      },
    );
    this.rolledBack = options.rolledBack;
  }
}

/** The SQLSTATE of an error that PostgreSQL reported, e.g. "23505". */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Two transactions conflicted; this one should be retried. */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40001" || state === "40P01";
}

/**
 * Two transactions inserted the same row concurrently. ON CONFLICT handles only the index it names; if the row has a
 * second unique index, the later transaction fails there, and finds the row when retried (PostgreSQL manual,
 * "Serialization Failure Handling").
 */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === "23505";
}

/**
 * The error is not caused by the statement, which may succeed later: the server was unavailable, is read-only (25006:
 * after a failover, or because its disk is nearly full), or lacks a resource (disk, memory, locks, time). After
 * `ConnectionLost` the statement may already have taken effect.
 */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionLost || error instanceof DatabaseUnavailable) return true;
  return isConflict(error) || /^(25006|53...|55P03|57014|58030)$/.test(sqlState(error) ?? "");
}

/**
 * A value does not fit its column or an index (54000: a key of some kilobytes), or violates a constraint. Retrying
 * the statement gives the same error.
 */
export function isDataFault(error: unknown): boolean {
  return /^(2[23]|54000)/.test(sqlState(error) ?? "");
}

/**
 * For errors while connecting: the server is unavailable, busy or a standby, as opposed to permanently refusing this
 * user or database, or being behind an unsuitable pooler.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof PoolerUnsuitable || refusedParameter(error) !== undefined) return false;
  const state = sqlState(error);
  return state === undefined || /^(57P0[1-3]|53300|08...|58000)$/.test(state);
}

/**
 * For errors while connecting: the limit of the server, the database or the user is reached. Existing connections are
 * not affected.
 */
export function isAtConnectionLimit(error: unknown): boolean {
  return sqlState(error) === "53300";
}

/** For errors during a statement: the server ended the session or did not respond in time. */
export function endsSession(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return messageOf(error) === "Query read timeout";
  return (
    error.severity === "FATAL" || error.severity === "PANIC" || /^(57P0[1-3]|08...)$/.test(error.code ?? "")
  );
}

/**
 * The statement had no effect and would succeed on a new connection: this connection leads to a primary that became a
 * standby (25006), or a migration invalidated its prepared statement (0A000, 26000).
 */
export function isStaleSession(error: unknown): boolean {
  const state = sqlState(error);
  return (
    state === "25006" || state === "26000" || (state === "0A000" && /cached plan/.test(messageOf(error)))
  );
}

/**
 * The statement would have written for an account that is moving, or has moved, to another cell (`follow_account_move`). It
 * had no effect. Returns the account; null for any other error.
 */
export function movedAccountOf(error: unknown): number | null {
  return sqlState(error) === "TL001" ? Number((error as pg.DatabaseError).detail) : null;
}
