import type { Call } from "./call.ts";
import { bad, RpcError } from "./error.ts";

/** What may be called before anybody is logged in. */
const open = [/^help\./, /^langpack\./, /^auth\./, /^account\.getPassword$/, /^upload\.getFile$/];

/** What a data centre does for accounts whose home is another one. */
const foreign = [/^help\./, /^auth\./, /^upload\./, /^users\.getUsers$/];

/** Refuses what this key may not call. */
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
