import type { tl } from "@mtcute/core";
import type { AuthKey } from "../mtproto/auth-key.ts";
import { renderUser } from "../render/user.ts";
import type { Call } from "../rpc/call.ts";
import { bad, RpcError } from "../rpc/error.ts";
import type { Person } from "../world/person.ts";
import { pushUpdates } from "../world/push.ts";
import type { World } from "../world/world.ts";

/** Logs an account in on this key, or asks for the cloud password first. */
export function logIn(call: Call, person: Person): tl.auth.RawAuthorization {
  if (person.status === "banned") throw bad("PHONE_NUMBER_BANNED");
  if (person.status === "deactivated") throw bad("INPUT_USER_DEACTIVATED");
  if (person.password) {
    call.key.pendingUserId = person.id;
    throw new RpcError(401, "SESSION_PASSWORD_NEEDED");
  }
  return finishLogin(call, person);
}

/** The account has proved everything. */
export function finishLogin({ world, key }: Call, person: Person): tl.auth.RawAuthorization {
  Object.assign(key, { userId: person.id, pendingUserId: undefined, endedBy: undefined, isImported: false });
  world.note("login", { key });
  world.changed();
  return { _: "auth.authorization", user: renderUser(world, person, person) };
}

/** Ends a login; all further calls are refused with this text. The clients are notified, so that they notice. */
export function endLogin(world: World, key: AuthKey, endedBy: string): void {
  const person = key.userId === undefined ? undefined : world.state.people.get(key.userId);
  world.note("terminated", { key, detail: endedBy });
  for (const session of person ? world.sessionsOf(person.id) : [])
    if (session.key === key) session.push({ _: "updatesTooLong" });
  Object.assign(key, { userId: undefined, pendingUserId: undefined, endedBy });
  world.changed();
}

/** Notifies the account's other sessions of a new one. */
export function announceLogin({ world, key, session }: Call, person: Person): void {
  const { app } = key;
  if (!app) return;
  pushUpdates(
    world,
    person,
    {
      _: "updateShort",
      update: {
        _: "updateNewAuthorization",
        unconfirmed: true,
        hash: key.hash,
        date: world.clock.now(),
        device: app.deviceModel,
        location: "127.0.0.1",
      },
      date: world.clock.now(),
    },
    session,
  );
}
