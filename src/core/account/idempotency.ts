import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "../../database/database.ts";
import { hourIdDigits, hourIdSql } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { AppError, isInvalidRequest } from "../errors.ts";
import { storable } from "../json-rows.ts";
import type { Scope } from "../scope.ts";

/** Identifies a request: the client's key for a route, and a hash of the request. */
export interface OnceRequest {
  readonly route: string;
  /** 1 to 255 printable characters. */
  readonly key: string;
  /** SHA-256 of everything that must be equal for two requests to be the same. */
  readonly requestHash: Uint8Array;
}

export interface OnceAnswer {
  readonly status: number;
  readonly body: string;
}

/** After a crash, retries wait until the lock expires. It is renewed while the work runs. */
const LOCK_SECONDS = 5;
const RENEW_EVERY_MS = 2_000;
const KEPT_HOURS = 24;
const WAIT_MS = 5_000;
const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 250;

/**
 * The operation id follows from account, route, key, request and hour. If the database loses the key together with what was
 * created (a standby without the last commits was promoted), a repetition within the hour creates it under the same id,
 * which messengers recognise. A key that is used again after a day gets another id.
 */
const operationDigits = ({ accountId }: Scope, { route, key, requestHash }: OnceRequest): string =>
  hourIdDigits("operation", String(accountId), route, key, Buffer.from(requestHash).toString("hex"));

/**
 * Claims the key if it is free, if its owner died (then with the owner's operation id), or if its stored response is
 * older than a day.
 */
const CLAIM = sql(
  "idempotency_claim",
  `insert into idempotency_keys as k (account_id, route, key, request_hash, operation_id, locked_until)
   values ($1, $2, $3, $4, ${hourIdSql("$5::text")}, now() + interval '${LOCK_SECONDS} seconds')
   on conflict (account_id, route, key) do update set
     locked_until = excluded.locked_until,
     request_hash = excluded.request_hash,
     operation_id = case when k.created_at < now() - interval '${KEPT_HOURS} hours'
       then excluded.operation_id else k.operation_id end,
     created_at = case when k.created_at < now() - interval '${KEPT_HOURS} hours' then now() else k.created_at end,
     status = null, answer = null
   where k.created_at < now() - interval '${KEPT_HOURS} hours'
     or k.status is null and k.locked_until <= now() and k.request_hash = excluded.request_hash
   returning operation_id`,
);
const READ = sql(
  "idempotency_read",
  "select request_hash, status, answer from idempotency_keys where account_id = $1 and route = $2 and key = $3",
);
const FINISH = sql(
  "idempotency_finish",
  `update idempotency_keys set status = $4, answer = $5
   where account_id = $1 and route = $2 and key = $3 and operation_id = $6 and status is null`,
);
const RENEW = sql(
  "idempotency_renew",
  `update idempotency_keys set locked_until = now() + interval '${LOCK_SECONDS} seconds'
   where account_id = $1 and route = $2 and key = $3 and operation_id = $4 and status is null`,
);
const RELEASE = sql(
  "idempotency_release",
  `update idempotency_keys set locked_until = now()
   where account_id = $1 and route = $2 and key = $3 and operation_id = $4 and status is null`,
);
const FORGET = sql(
  "idempotency_forget",
  `delete from idempotency_keys
   where account_id = $1 and route = $2 and key = $3 and operation_id = $4 and status is null`,
);

/**
 * Runs the work once per key and returns the first response to every retry. Work that ends with an invalid request
 * leaves no trace. If it throws anything else, the key is released but the operation id is kept: the outcome may be
 * unknown, and a retry must stay harmless. `run` receives that id and uses it as the id of what it creates.
 */
export async function once(
  core: Base,
  scope: Scope,
  request: OnceRequest,
  run: (operationId: string) => Promise<OnceAnswer>,
): Promise<OnceAnswer & { readonly replayed: boolean }> {
  const claimed = await claimOrWait(core, scope, request);
  if ("status" in claimed) return { ...claimed, replayed: true };
  const answer = await runClaimed(core, scope, request, claimed.operationId, run);
  return { ...answer, replayed: false };
}

async function claimOrWait(
  core: Base,
  scope: Scope,
  request: OnceRequest,
): Promise<OnceAnswer | { readonly operationId: string }> {
  const key = [scope.accountId, request.route, request.key];
  const deadline = core.clock.monotonicMs() + WAIT_MS;
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 2, LONGEST_POLL_MS)) {
    const [claim] = await core.db.query<{ operation_id: string }>(CLAIM, [
      ...key,
      request.requestHash,
      operationDigits(scope, request),
    ]);
    if (claim !== undefined) return { operationId: claim.operation_id };
    const [row] = await core.db.query<{ request_hash: Buffer; status: number | null; answer: string }>(
      READ,
      key,
    );
    if (row !== undefined && !row.request_hash.equals(request.requestHash))
      throw new AppError("IDEMPOTENCY_KEY_REUSED");
    if (row !== undefined && row.status !== null) return { status: row.status, body: row.answer };
    if (core.clock.monotonicMs() + pause > deadline)
      throw new AppError("IDEMPOTENCY_IN_PROGRESS", { retryAfter: 1 });
    await sleep(pause);
  }
}

async function runClaimed(
  core: Base,
  scope: Scope,
  request: OnceRequest,
  operationId: string,
  run: (operationId: string) => Promise<OnceAnswer>,
): Promise<OnceAnswer> {
  const key = [scope.accountId, request.route, request.key];
  // The outcome is valid even if it cannot be stored: a key that stays locked is run again with the same id.
  const remember = (statement: Parameters<typeof core.db.query>[0], values: unknown[]): Promise<void> =>
    core.db.query(statement, values).then(
      () => undefined,
      (error: unknown) => core.log.warn({ err: error }, "state of an idempotent request not stored"),
    );
  const renewal = setInterval(() => void remember(RENEW, [...key, operationId]), RENEW_EVERY_MS);
  try {
    const answer = await run(operationId).finally(() => clearInterval(renewal));
    await remember(FINISH, [...key, answer.status, storable(answer.body), operationId]);
    return answer;
  } catch (error) {
    const isInvalid = error instanceof AppError && isInvalidRequest(error);
    await remember(isInvalid ? FORGET : RELEASE, [...key, operationId]);
    throw error;
  }
}
