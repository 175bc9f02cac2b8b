import { invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { secretMessage } from "../render/secret.ts";
import { wrapUpdates } from "../render/updates.ts";
import { personByPhone } from "../world/directory.ts";
import type { Person } from "../world/person.ts";
import { pushPassing, pushUpdates } from "../world/push.ts";
import type { World } from "../world/world.ts";

/** Updates without an action of a person, and updates that are lost. */
export function pushRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => personByPhone(world, params.needText("phone"));
  return [
    ["POST", "/people/{phone}/pushes", (call) => push(world, personOf(call), call)],
    ["POST", "/people/{phone}/losses", (call) => lose(world, personOf(call), call)],
  ];
}

/** `{kind}`: `too_long`, `numbered` (a container with the next `seq`), `secret` (a message with the next `qts`). */
function push(world: World, person: Person, { body }: AdminCall): unknown {
  const kind = body.needText("kind");
  if (kind === "too_long") pushUpdates(world, person, { _: "updatesTooLong" });
  else if (kind === "numbered") pushNumbered(world, person);
  else if (kind === "secret") pushSecret(world, person);
  else throw invalid("kind", "too_long, numbered or secret");
  world.changed();
  return { pts: person.mailbox.pts, seq: person.seq, qts: person.qts };
}

/** `{count}`: this many updates of the account are not delivered; messages and counters advance. */
function lose(world: World, person: Person, { body }: AdminCall): unknown {
  const count = body.needInteger("count");
  world.loseUpdates(person.id, count);
  return { count };
}

function pushNumbered(world: World, person: Person): void {
  person.seq++;
  const status = {
    _: "updateUserStatus",
    userId: person.id,
    status: { _: "userStatusRecently" },
  } as const;
  pushUpdates(world, person, { ...wrapUpdates(world, person, [status]), seq: person.seq });
}

function pushSecret(world: World, person: Person): void {
  person.qts++;
  const message = secretMessage(person.qts, world.clock.now());
  pushPassing(world, person, { _: "updateNewEncryptedMessage", message, qts: person.qts });
}
