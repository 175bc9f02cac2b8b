import { AdminError, type Fields, invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import { callsQuery } from "../../meta/calls-query.ts";
import type { Attempt } from "../callback/sender.ts";
import { cancelSignup, completeSignup } from "../dialog.ts";
import type { Signup } from "../signup.ts";
import type { World } from "../world.ts";

/** What was called, what was delivered, and the dialogs that wait for a person. */
export function recordRoutes(world: World): AdminRoute[] {
  const signupOf = ({ params }: AdminCall) => openSignup(world, params.needText("signup_id"));
  return [
    ["GET", "/calls", (call) => world.calls.read(callsQuery(call))],
    ["GET", "/callbacks", (call) => world.callbacks.attempts.read(callbacksQuery(call))],
    ["POST", "/callbacks/holds", () => hold(world)],
    ["GET", "/callbacks/holds", () => listHeld(world)],
    ["POST", "/callbacks/releases", ({ body }) => release(world, body)],
    ["POST", "/callbacks/{seq}/repeats", (call) => repeat(world, call)],
    ["GET", "/signups", (call) => world.signups.journal.read(journalQuery<Signup>(call))],
    ["POST", "/signups/{signup_id}/completions", (call) => complete(world, signupOf(call), call.body)],
    [
      "POST",
      "/signups/{signup_id}/cancellations",
      (call) => ({ redirect_url: cancelSignup(signupOf(call)) }),
    ],
  ];
}

function callbacksQuery(call: AdminCall) {
  const field = call.query.text("field");
  const status = call.query.integer("status");
  if (field === undefined && status === undefined) return journalQuery<Attempt>(call);
  return journalQuery<Attempt>(
    call,
    (attempt) =>
      (field === undefined || attempt.fields.includes(field)) &&
      (status ?? attempt.status) === attempt.status,
  );
}

function hold(world: World): unknown {
  world.callbacks.hold();
  return listHeld(world);
}

function listHeld({ callbacks }: World): unknown {
  const held = callbacks.held ?? [];
  const items = held.map(({ url, change }, index) => ({ number: index + 1, url, ...change }));
  return { holding: callbacks.held !== undefined, items };
}

/** `{batch?, pick?: [numbers in the wanted order], keep_holding?}` */
function release(world: World, body: Fields): unknown {
  if (!world.callbacks.held) throw new AdminError(409, "not_holding", "POST /callbacks/holds first");
  const pick = body.list("pick")?.map((number) => {
    if (typeof number === "number" && Number.isInteger(number)) return number;
    throw invalid("pick", "an array of integers");
  });
  const batch = body.flag("batch") ?? false;
  const keepHolding = body.flag("keep_holding") ?? false;
  return { released: world.callbacks.release({ batch, pick, keepHolding }) };
}

function repeat(world: World, { params, body }: AdminCall): unknown {
  const seq = params.needInteger("seq");
  const attempt = world.callbacks.attempts.list({ where: (entry) => "seq" in entry && entry.seq === seq })[0];
  if (!attempt) throw missing("callback", seq);
  const times = body.integer("times") ?? 1;
  for (let left = times; left > 0; left--) world.callbacks.repeat(attempt, world.app(attempt.app_id));
  return { repeated: times };
}

function openSignup(world: World, id: string): Signup {
  const signup = world.signups.find(id);
  if (!signup) throw missing("signup", id);
  if (signup.redirect_url === null) return signup;
  throw new AdminError(409, "over", "this dialog is over");
}

/** The person agrees, for the accounts named or the first. */
function complete(world: World, signup: Signup, body: Fields): unknown {
  const ids = body.list("waba_ids")?.map(String) ?? [...world.wabas.keys()].slice(0, 1);
  const wabas = ids.map((id) => world.waba(id));
  return { redirect_url: completeSignup(world, signup, wabas) };
}
