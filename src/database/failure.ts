import pg from "pg";
import { messageOf } from "../platform/message-of.ts";

/** No connection could be had in time. Nothing was sent, so repeating is harmless. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
}

/**
 * The connection broke in the middle. Whether the statement or transaction took effect is unknown, unless
 * `rolledBack`: then COMMIT was never sent and repeating is harmless.
 */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  readonly rolledBack: boolean;
  constructor(cause: unknown, options: { rolledBack: boolean }) {
    const effect = options.rolledBack ? "it had no effect" : "it may have taken effect or not";
    super(
      `The connection to PostgreSQL broke in the middle of a statement (${messageOf(cause)}); ${effect}.`,
      {
        cause,
      },
    );
    this.rolledBack = options.rolledBack;
  }
}

/** SQLSTATE of an error that PostgreSQL itself reported, e.g. "23505". */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Two transactions were in each other's way; running this one again is the remedy. */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40001" || state === "40P01";
}

/**
 * Two transactions added the same row at the same moment. ON CONFLICT sees that in the index it names only; where a
 * row has a second unique index, the later one fails there, and finds the row when it runs again (PostgreSQL manual,
 * "Serialization Failure Handling").
 */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === "23505";
}

/**
 * Nothing is wrong with the statement: the server was away, may only be read (25006: after a failover, or because its
 * disk is nearly full), or lacks something at the moment (disk, memory, locks, time), and the same statement may pass
 * later. After `ConnectionLost` it may have taken effect already.
 */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionLost || error instanceof DatabaseUnavailable) return true;
  return isConflict(error) || /^(25006|53...|55P03|57014|58030)$/.test(sqlState(error) ?? "");
}

/**
 * A value does not fit its column, or an index (54000: a key of some kilobytes), or breaks a constraint: repeating the
 * statement gives the same error.
 */
export function isDataFault(error: unknown): boolean {
  return /^(2[23]|54000)/.test(sqlState(error) ?? "");
}

/** While connecting: the server is away or busy, as opposed to refusing this user or database for good. */
export function isAway(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || /^(57P0[1-3]|53300|08...|58000)$/.test(state);
}

/** While a statement was under way: the server ended the session or did not answer in time. */
export function endsSession(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return messageOf(error) === "Query read timeout";
  return (
    error.severity === "FATAL" || error.severity === "PANIC" || /^(57P0[1-3]|08...)$/.test(error.code ?? "")
  );
}

/**
 * The statement certainly had no effect and would succeed on a fresh connection: this one leads to a primary
 * that became a standby (25006), or its prepared statement was outdated by a migration (0A000, 26000).
 */
export function isStaleSession(error: unknown): boolean {
  const state = sqlState(error);
  return (
    state === "25006" || state === "26000" || (state === "0A000" && /cached plan/.test(messageOf(error)))
  );
}
