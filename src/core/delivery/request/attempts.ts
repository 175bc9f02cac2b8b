import { type Queryable, sql } from "../../../database/database.ts";
import { jsonValue, storable } from "../../json-rows.ts";
import type { Address } from "./request.ts";

/** One request to a receiver, for the delivery log. */
export interface Attempt {
  readonly deliveryId: string;
  readonly purpose: "delivery" | "replay" | "test";
  readonly at: Date;
  readonly durationMs: number;
  /** Empty for a test. */
  readonly eventIds: readonly number[];
  /** Distinct kinds and channels of the events. */
  readonly kinds: readonly string[];
  readonly channels: readonly string[];
  readonly status: number | null;
  readonly failure: string | null;
  /** The beginning of the response body. */
  readonly answer: string | null;
  /** The request headers, with secrets masked. */
  readonly sent: Readonly<Record<string, string>>;
  readonly received: Readonly<Record<string, string>> | null;
}

const COLUMNS = [
  "event_ids",
  "account_id",
  "endpoint_id",
  "delivery_id",
  "purpose",
  "at",
  "duration_ms",
  "kinds",
  "channels",
  "status",
  "failure",
  "answer",
  "sent",
  "received",
];

/** The end of a statement that stores an attempt. Parameters from `$first` on are `attemptValues`. */
export function insertAttempt(first: number): string {
  const parameters = COLUMNS.map((_, index) => `$${first + index}`);
  return `insert into webhook_attempts (${COLUMNS.join(", ")}) values (${parameters.join(", ")})`;
}

/** The first value is the array of event ids. */
export function attemptValues(
  { accountId, endpointId }: Pick<Address, "accountId" | "endpointId">,
  attempt: Attempt,
): unknown[] {
  return [
    attempt.eventIds,
    accountId,
    endpointId,
    attempt.deliveryId,
    attempt.purpose,
    attempt.at,
    Math.round(attempt.durationMs),
    attempt.kinds,
    attempt.channels,
    attempt.status,
    attempt.failure,
    attempt.answer === null ? null : storable(attempt.answer),
    jsonValue(attempt.sent),
    attempt.received === null ? null : jsonValue(attempt.received),
  ];
}

const LOG = sql("webhook_attempt_log", `${insertAttempt(1)} returning id`);

/** Returns the id of the attempt in the log. `attempt` null: it is not logged. */
export async function logAttempt(
  db: Queryable,
  address: Pick<Address, "accountId" | "endpointId">,
  attempt: Attempt | null,
): Promise<number | null> {
  if (attempt === null) return null;
  const [logged] = await db.query<{ id: number }>(LOG, attemptValues(address, attempt));
  if (logged === undefined) throw new Error("The attempt was not stored");
  return logged.id;
}
