import { type Database, sql } from "../../../database/database.ts";
import { newId } from "../../../platform/ids.ts";
import type { Base } from "../../base.ts";
import { AppError } from "../../errors.ts";
import type { Scope } from "../../scope.ts";
import type { LoginRefusal } from "../../transport/errors.ts";
import type { LoginReply, LoginStep, PasskeyFault } from "../../transport/login.ts";

export type LoginAnswer =
  | ({ readonly kind: "done" } & LoginReply)
  | {
      readonly kind: "refused";
      readonly reason: LoginRefusal;
      readonly description: string;
      readonly fault?: PasskeyFault | undefined;
    };

const RESPONSE_TIMEOUT_MS = 25_000;
const POLL_INTERVAL_MS = 1_000;
/** Older requests have timed out. */
const WAITING = "created_at > now() - interval '25 seconds'";

const ASK = sql(
  "login_ask",
  "insert into session_requests (account_id, id, channel_id, request) values ($1, $2, $3, $4)",
);
const ANSWER = sql("login_answer", "select answer from session_requests where account_id = $1 and id = $2");
const FORGET = sql(
  "login_forget",
  `delete from session_requests
   where (account_id = $1 and id = $2) or created_at < now() - interval '10 minutes'`,
);

/** Sends a request to the channel's session, on whichever node it runs, and waits for the response. */
export async function askSession(
  core: Base,
  scope: Scope,
  channelId: string,
  step: LoginStep,
): Promise<LoginAnswer> {
  const id = newId();
  const sealed = core.seal.seal(JSON.stringify(step), requestContext(id));
  await core.db.query(ASK, [scope.accountId, id, channelId, sealed]);
  core.signals.notify("logins", channelId);
  try {
    return await waitForAnswer(core, scope, id);
  } finally {
    await core.db.query(FORGET, [scope.accountId, id]);
  }
}

async function waitForAnswer(core: Base, scope: Scope, id: string): Promise<LoginAnswer> {
  const until = core.clock.monotonicMs() + RESPONSE_TIMEOUT_MS;
  for (;;) {
    const answered = nextAnswer(core, id);
    try {
      const [row] = await core.db.query<{ answer: Buffer | null }>(ANSWER, [scope.accountId, id]);
      if (row?.answer) return JSON.parse(core.seal.open(row.answer, answerContext(id)).toString());
      if (core.clock.monotonicMs() > until) throw new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10 });
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

/** A request that waits for a session of this node. */
export interface WaitingRequest {
  readonly accountId: number;
  readonly id: string;
  readonly channelId: string;
  readonly step: LoginStep;
}

/** Expression: whether any request waits for a session. */
export const HAS_LOGIN_REQUESTS = `(select true from session_requests where answer is null and ${WAITING} limit 1)`;

const WAITING_REQUESTS = sql(
  "login_waiting",
  `select account_id, id, channel_id, request from session_requests
   where channel_id = any($1) and answer is null and ${WAITING}`,
);
const STORE = sql(
  "login_store_answer",
  "update session_requests set answer = $3 where account_id = $1 and id = $2 and answer is null",
);

export async function waitingRequests(core: Base, channelIds: readonly string[]): Promise<WaitingRequest[]> {
  const rows = await core.db.query<{ account_id: number; id: string; channel_id: string; request: Buffer }>(
    WAITING_REQUESTS,
    [channelIds],
  );
  return rows.map((row) => ({
    accountId: row.account_id,
    id: row.id,
    channelId: row.channel_id,
    step: JSON.parse(core.seal.open(row.request, requestContext(row.id)).toString()) as LoginStep,
  }));
}

/** The first response counts. */
export async function answerRequest(
  core: { readonly db: Database; readonly seal: Base["seal"]; readonly signals: Base["signals"] },
  { accountId, id }: WaitingRequest,
  answer: LoginAnswer,
): Promise<void> {
  await core.db.query(STORE, [accountId, id, core.seal.seal(JSON.stringify(answer), answerContext(id))]);
  core.signals.notify("outcomes", id);
}

export const requestContext = (id: string): string => `login request ${id}`;
export const answerContext = (id: string): string => `login answer ${id}`;
