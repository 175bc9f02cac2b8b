import { createHash } from "node:crypto";
import ipaddr from "ipaddr.js";
import { type Queryable, sql } from "../../database/database.ts";
import { AppError } from "../errors.ts";

const PERIOD_SECONDS = 15 * 60;
/** Wrong passwords allowed per period: for one name from one address, and for all names from it. */
const MAX_OF_PAIR = 10;
const MAX_OF_ADDRESS = 50;

/** A counted attempt, released again if the password was correct. */
export interface Attempt {
  readonly subjects: readonly Buffer[];
  readonly period: number;
}

// Rows are locked in the order of their subjects, so that two attempts cannot deadlock.
const TAKE = sql(
  "login_attempt_take",
  `insert into login_attempts as a (subject, period, attempts)
   select subject, floor(extract(epoch from now()) / ${PERIOD_SECONDS}), 1
   from unnest($1::bytea[]) as s (subject) order by subject
   on conflict (subject, period) do update set attempts = a.attempts + 1
   returning subject, period, attempts,
     ((period + 1) * ${PERIOD_SECONDS} - extract(epoch from clock_timestamp()))::float8 as seconds_left`,
);
const GIVE_BACK = sql(
  "login_attempt_give_back",
  `update login_attempts a set attempts = a.attempts - 1
   from (select subject from unnest($1::bytea[]) as s (subject) order by subject) s
   where a.subject = s.subject and a.period = $2`,
);

interface Row {
  readonly subject: Buffer;
  readonly period: number;
  readonly attempts: number;
  readonly seconds_left: number;
}

/**
 * Counts an attempt before the password is checked, over all nodes, so that concurrent attempts cannot exceed the
 * limit. Throws TOO_MANY_LOGINS with the time to wait.
 */
export async function takeAttempt(db: Queryable, name: string, address: string): Promise<Attempt> {
  const network = networkOf(address);
  const pair = subjectOf("pair", name, network);
  const subjects = [pair, subjectOf("address", network)];
  const rows = await db.query<Row>(TAKE, [subjects]);
  for (const { subject, attempts, seconds_left: left } of rows) {
    const limit = subject.equals(pair) ? MAX_OF_PAIR : MAX_OF_ADDRESS;
    if (attempts > limit) throw new AppError("TOO_MANY_LOGINS", { retryAfter: Math.max(1, Math.ceil(left)) });
  }
  return { subjects, period: rows[0]?.period ?? 0 };
}

export async function giveBackAttempt(db: Queryable, { subjects, period }: Attempt): Promise<void> {
  await db.query(GIVE_BACK, [subjects, period]);
}

/**
 * The network of one caller: an IPv4 address, or the /64 network of an IPv6 address, since a caller has all of its
 * addresses.
 */
export function networkOf(address: string): string {
  const plain = address.split("%", 1)[0] ?? "";
  if (!ipaddr.IPv6.isValid(plain)) return address;
  const parsed = ipaddr.IPv6.parse(plain);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

function subjectOf(...parts: readonly string[]): Buffer {
  return createHash("sha256").update(JSON.stringify(parts)).digest();
}

/** Runs the check of the attempt's password. If it fails, the password was not checked, and the attempt is given back. */
export async function checkAttempt(
  db: Queryable,
  attempt: Attempt,
  check: () => Promise<boolean>,
): Promise<boolean> {
  return check().catch(async (error: unknown) => {
    await giveBackAttempt(db, attempt);
    throw error;
  });
}
