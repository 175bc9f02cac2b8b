import { AdminError, type Fields, invalid, isRecord, missing } from "../http/fields.ts";
import type { AdminCall, AdminRoute } from "../http/route.ts";
import type { Numbered } from "../journal.ts";
import { journalQuery } from "../journal-query.ts";
import type { Attempt, Callback, CallbackQueue } from "./queue.ts";

/** Turns a callback into what an impostor would post, for platforms that sign the body. */
export type Forger = (attempt: Attempt, body: Fields) => Partial<Pick<Callback, "text" | "headers">>;

/** The admin routes for callbacks, the same for every emulator with a `CallbackQueue`. */
export function callbackRoutes(queue: CallbackQueue, forger: Forger = forgeHeaders): AdminRoute[] {
  return [
    ["GET", "/callbacks", (call) => queue.attempts.read(queryOf(call))],
    ["POST", "/callbacks/holds", () => hold(queue)],
    ["GET", "/callbacks/holds", () => listHeld(queue)],
    ["POST", "/callbacks/releases", ({ body }) => release(queue, body)],
    ["POST", "/callbacks/{seq}/repeats", (call) => repeat(queue, call)],
    ["POST", "/callbacks/{seq}/forgeries", (call) => forge(queue, forger, call)],
  ];
}

function queryOf(call: AdminCall) {
  const event = call.query.text("event");
  const status = call.query.integer("status");
  const owner = call.query.text("owner");
  if (event === undefined && status === undefined && owner === undefined) return journalQuery<Attempt>(call);
  return journalQuery<Attempt>(
    call,
    (attempt) =>
      (event ?? attempt.event) === attempt.event &&
      (status ?? attempt.status) === attempt.status &&
      (owner ?? attempt.owner) === attempt.owner,
  );
}

function hold(queue: CallbackQueue): unknown {
  queue.hold();
  return listHeld(queue);
}

function listHeld(queue: CallbackQueue): unknown {
  const items = (queue.held ?? []).map(({ url, event, text }, index) => ({
    number: index + 1,
    url,
    event,
    text,
  }));
  return { holding: queue.held !== undefined, items };
}

/** `{pick?: [numbers in the wanted order], keep_holding?, batch?}` */
function release(queue: CallbackQueue, body: Fields): unknown {
  if (!queue.held) throw new AdminError(409, "not_holding", "POST /callbacks/holds first");
  const pick = body.list("pick")?.map((number) => {
    if (typeof number === "number" && Number.isInteger(number)) return number;
    throw invalid("pick", "an array of integers");
  });
  const keepHolding = body.flag("keep_holding") ?? false;
  return { released: queue.release(pick, keepHolding, body.flag("batch") ?? false) };
}

/** `{times? = 1}`: the same body again. */
async function repeat(queue: CallbackQueue, call: AdminCall): Promise<unknown> {
  const attempt = attemptOf(queue, call);
  const statuses: number[] = [];
  for (let left = call.body.integer("times") ?? 1; left > 0; left--) {
    statuses.push((await queue.repeat(attempt)).status);
  }
  return { repeated: statuses.length, statuses };
}

/** A callback from someone other than the platform. */
async function forge(queue: CallbackQueue, forger: Forger, call: AdminCall): Promise<unknown> {
  const attempt = attemptOf(queue, call);
  const delivered = await queue.repeat(attempt, forger(attempt, call.body));
  return { status: delivered.status, answer: delivered.answer };
}

/**
 * `{headers?, text?}`: a header that is null is omitted; without `headers`, every header that authenticates the
 * sender is.
 */
function forgeHeaders(attempt: Attempt, body: Fields): ReturnType<Forger> {
  const given = body.object("headers");
  const headers = given ? mergeHeaders(attempt.headers, given) : {};
  return { text: body.text("text") ?? attempt.text, headers };
}

function mergeHeaders(before: Readonly<Record<string, string>>, given: unknown): Record<string, string> {
  const merged: Record<string, string> = { ...before };
  for (const [name, value] of Object.entries(isRecord(given) ? given : {})) {
    const known = Object.keys(merged).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name;
    if (value === null) delete merged[known];
    else merged[known] = String(value);
  }
  return merged;
}

function attemptOf(queue: CallbackQueue, { params }: AdminCall): Numbered<Attempt> {
  const seq = params.needInteger("seq");
  const [attempt] = queue.attempts.list({ after: seq - 1 });
  if (attempt?.seq === seq) return attempt;
  throw missing("callback", seq);
}
