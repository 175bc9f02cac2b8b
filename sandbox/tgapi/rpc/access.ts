import type { Call } from "./call.ts";
import { bad, RpcError } from "./error.ts";

/** Calls that are allowed without a login. */
const open = [/^help\./, /^langpack\./, /^auth\./, /^account\.getPassword$/, /^upload\.getFile$/];

/** Calls that a data centre serves for accounts with another home. */
const foreign = [/^help\./, /^auth\./, /^upload\./, /^users\.getUsers$/];

/** Refuses calls that this key may not make. */
export function checkAccess({ key, loggedIn }: Call, method: string): void {
  if (key.app === undefined) throw bad("CONNECTION_NOT_INITED");
  if (key.isDuplicated) throw new RpcError(406, "AUTH_KEY_DUPLICATED");
  if (key.endedBy !== undefined && key.userId === undefined && !isOneOf(open, method))
    throw new RpcError(401, key.endedBy);
  if (loggedIn?.status === "banned") throw new RpcError(401, "USER_DEACTIVATED_BAN");
  if (loggedIn?.status === "deactivated") throw new RpcError(401, "USER_DEACTIVATED");
  if (!loggedIn && !isOneOf(open, method)) throw new RpcError(401, "AUTH_KEY_UNREGISTERED");
  if (loggedIn && loggedIn.homeDc !== key.dc && !isOneOf(foreign, method))
    throw new RpcError(303, `USER_MIGRATE_${loggedIn.homeDc}`);
}

function isOneOf(patterns: readonly RegExp[], method: string): boolean {
  return patterns.some((each) => each.test(method));
}
