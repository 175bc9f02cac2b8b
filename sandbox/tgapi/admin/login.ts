import { missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { scan } from "../method/qr-login.ts";
import { personByPhone } from "../world/directory.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";

/** Logging in: the phone's camera, and the codes that arrive on it. */
export function loginRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => personByPhone(world, params.needText("phone"));
  return [
    ["POST", "/people/{phone}/scans", (call) => scanCode(world, personOf(call), call)],
    ["GET", "/people/{phone}/codes", (call) => listCodes(world, personOf(call))],
  ];
}

/** `{qr}`: the text of the code. Fails with 410 `expired_token`, 409 `accepted_token`, `except_id`. */
function scanCode(world: World, person: Person, { body }: AdminCall): unknown {
  const { expires } = scan(world, person, body.needText("qr"));
  return { phone: person.phone, home_dc: person.homeDc, expires };
}

/** The unused codes that were sent to this number, newest last; 404 if there are none. */
function listCodes(world: World, { phone }: Person): unknown {
  const items = [...world.codeLogins.values()]
    .filter((each) => each.phone === phone)
    .map(({ code, expires }) => ({ code, expires }));
  if (items.length === 0) throw missing("login code for", phone);
  return { items };
}
