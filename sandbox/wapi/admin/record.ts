import { callbackRoutes } from "../../callback/routes.ts";
import { AdminError, type Fields, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import { callsQuery } from "../../meta/calls-query.ts";
import { forgeSignature } from "../../meta/forge.ts";
import type { Signup } from "../account/signup.ts";
import { cancelSignup, completeSignup } from "../chat/dialog.ts";
import type { World } from "../world.ts";

/** Records of calls and deliveries, and the open dialogs. */
export function recordRoutes(world: World): AdminRoute[] {
  const signupOf = ({ params }: AdminCall) => openSignup(world, params.needText("signup_id"));
  return [
    ["GET", "/calls", (call) => world.calls.read(callsQuery(call))],
    ...callbackRoutes(world.callbacks, forgeSignature),
    ["GET", "/signups", (call) => world.signups.journal.read(journalQuery<Signup>(call))],
    ["POST", "/signups/{signup_id}/completions", (call) => complete(world, signupOf(call), call.body)],
    [
      "POST",
      "/signups/{signup_id}/cancellations",
      (call) => ({ redirect_url: cancelSignup(signupOf(call)) }),
    ],
  ];
}

function openSignup(world: World, id: string): Signup {
  const signup = world.signups.find(id);
  if (!signup) throw missing("signup", id);
  if (signup.redirect_url === null) return signup;
  throw new AdminError(409, "over", "this dialog is over");
}

/** The person consents, for the given accounts or the first. */
function complete(world: World, signup: Signup, body: Fields): unknown {
  const ids = body.list("waba_ids")?.map(String) ?? [...world.wabas.keys()].slice(0, 1);
  const wabas = ids.map((id) => world.waba(id));
  return { redirect_url: completeSignup(world, signup, wabas) };
}
