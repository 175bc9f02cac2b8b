import { type Queryable, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import type { OwnedChannelKey, Scope } from "../scope.ts";

/** `login`: a step of a person's login; `group`: a call about a group. */
export type SessionRequestKind = "login" | "group";

/** How long a request waits for its session, and how much longer for the answer of a session that has begun with it. */
const WITHDRAW_AFTER_MS = 25_000;
const ANSWER_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 1_000;
/** Not taken yet, and not withdrawn by a client that is gone. */
const waiting = (of = ""): string =>
  `${of}taken_at is null and ${of}answer is null and ${of}created_at > now() - interval '25 seconds'`;

// A repeated request waits for the answer of the first.
const ASK = sql(
  "session_request_ask",
  `insert into session_requests (account_id, id, channel_id, kind, request) values ($1, $2, $3, $4, $5)
   on conflict (account_id, id) do nothing`,
);
const ANSWER = sql(
  "session_request_answer",
  "select answer from session_requests where account_id = $1 and id = $2",
);
const WITHDRAW = sql(
  "session_request_withdraw",
  `delete from session_requests where account_id = $1 and id = $2 and answer is null and taken_at is null
   returning id`,
);
const FORGET = sql(
  "session_request_forget",
  `delete from session_requests
   where (account_id = $1 and id = $2) or created_at < now() - interval '10 minutes'`,
);

/**
 * Sends a request to the channel's session, on whichever node it runs, and waits for the answer. Throws
 * MESSENGER_UNAVAILABLE if no session has begun with it: then none will. Null: a session has, and its answer is unknown.
 */
export async function askSession(
  core: Base,
  scope: Scope,
  channelId: string,
  {
    kind,
    body,
    id = newId(),
  }: { readonly kind: SessionRequestKind; readonly body: unknown; readonly id?: string | undefined },
): Promise<unknown> {
  const sealed = core.seal.seal(JSON.stringify(body), requestContext(id));
  await core.db.query(ASK, [scope.accountId, id, channelId, kind, sealed]);
  core.signals.notify("sessionRequests", channelId);
  try {
    return await waitForAnswer(core, scope, id);
  } finally {
    await core.db.query(FORGET, [scope.accountId, id]);
  }
}

async function waitForAnswer(core: Base, { accountId }: Scope, id: string): Promise<unknown> {
  const began = core.clock.monotonicMs();
  for (;;) {
    const answered = nextAnswer(core, id);
    try {
      const [row] = await core.db.query<{ answer: Buffer | null }>(ANSWER, [accountId, id]);
      if (row?.answer) return JSON.parse(core.seal.open(row.answer, answerContext(id)).toString());
      const waited = core.clock.monotonicMs() - began;
      if (waited > WITHDRAW_AFTER_MS && (await core.db.query(WITHDRAW, [accountId, id])).length > 0)
        throw new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10 });
      if (waited > ANSWER_TIMEOUT_MS || row === undefined) return null;
      await answered.happened;
    } finally {
      answered.cancel();
    }
  }
}

function nextAnswer(core: Base, id: string): { happened: Promise<void>; cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, POLL_INTERVAL_MS);
  const off = core.signals.on("outcomes", (detail) => {
    if (detail === "" || detail === id) resolve();
  });
  return {
    happened: promise,
    cancel() {
      clearTimeout(timer);
      off();
    },
  };
}

/** A request that waits for a session. */
export interface WaitingRequest {
  readonly accountId: number;
  readonly id: string;
  readonly channelId: string;
  readonly kind: SessionRequestKind;
  readonly body: unknown;
}

/** Expression: whether any request waits for a session. */
export const HAS_SESSION_REQUESTS = `(select true from session_requests where ${waiting()} limit 1)`;

const WAITING_REQUESTS = sql(
  "session_requests_waiting",
  `select account_id as "accountId", id, channel_id as "channelId", kind from session_requests
   where ${waiting()} order by created_at`,
);
const BODIES = sql(
  "session_requests_bodies",
  `select r.id, r.request from unnest($1::bigint[], $2::uuid[]) as w (account_id, id)
   cross join lateral (
     select id, request from session_requests
     where account_id = any(array[w.account_id]) and id = any(array[w.id])) r`,
);

/**
 * The requests that wait for sessions, oldest first, as far as `isWanted`. There are few of all channels together, but a
 * body may be large, so only those are read. One that cannot be opened (another release or key) is left to its withdrawal.
 */
export async function waitingRequests(
  core: Pick<Base, "db" | "seal" | "log">,
  isWanted: (request: Omit<WaitingRequest, "body">) => boolean,
): Promise<WaitingRequest[]> {
  const rows = await core.db.query<Omit<WaitingRequest, "body">>(WAITING_REQUESTS);
  const wanted = rows.filter(isWanted);
  if (wanted.length === 0) return [];
  const keys = [wanted.map(({ accountId }) => accountId), wanted.map(({ id }) => id)];
  const found = await core.db.query<{ id: string; request: Buffer }>(BODIES, keys);
  const sealed = new Map(found.map(({ id, request }) => [id, request]));
  return wanted.flatMap((each) => {
    const request = sealed.get(each.id);
    if (request === undefined) return [];
    try {
      const body: unknown = JSON.parse(core.seal.open(request, requestContext(each.id)).toString());
      return [{ ...each, body }];
    } catch (error) {
      core.log.warn({ err: error, channelId: each.channelId }, "a request to a session could not be opened");
      return [];
    }
  });
}

const TAKE = sql(
  "session_request_take",
  `update session_requests r set taken_at = now() from channels c
   where r.account_id = $1 and r.id = $2 and ${waiting("r.")}
     and c.account_id = $1 and c.id = $3 and c.owner = $4 and c.epoch = $5 and c.deleted_at is null
   returning r.id`,
);

/** Begins with a request, once. False: it was withdrawn, another node owns the channel, or somebody has begun. */
export async function takeRequest(
  db: Queryable,
  nodeId: string,
  { epoch }: Pick<OwnedChannelKey, "epoch">,
  { accountId, id, channelId }: WaitingRequest,
): Promise<boolean> {
  return (await db.query(TAKE, [accountId, id, channelId, nodeId, epoch])).length > 0;
}

const STORE = sql(
  "session_request_store_answer",
  "update session_requests set answer = $3 where account_id = $1 and id = $2 and answer is null",
);

/** The first answer counts. Call `announceAnswer` after the commit. */
export async function storeAnswer(
  db: Queryable,
  seal: Base["seal"],
  { accountId, id }: Pick<WaitingRequest, "accountId" | "id">,
  answer: unknown,
): Promise<void> {
  await db.query(STORE, [accountId, id, seal.seal(JSON.stringify(answer), answerContext(id))]);
}

export function announceAnswer({ signals }: Pick<Base, "signals">, { id }: Pick<WaitingRequest, "id">): void {
  signals.notify("outcomes", id);
}

/** Both. */
export async function answerRequest(
  core: Pick<Base, "db" | "seal" | "signals">,
  request: Pick<WaitingRequest, "accountId" | "id">,
  answer: unknown,
): Promise<void> {
  await storeAnswer(core.db, core.seal, request, answer);
  announceAnswer(core, request);
}

export const requestContext = (id: string): string => `session request ${id}`;
export const answerContext = (id: string): string => `session answer ${id}`;
