import { opcode } from "../opcode.ts";
import type { Session } from "./account.ts";
import type { World } from "./world.ts";

/**
 * Ends a session: its token is refused from now on. With `tell`, its client gets push 20 and the connection ends, as
 * if another device had ended the session; `reason` is returned to later logins with the token.
 */
export function endSession(
  world: World,
  session: Session,
  how: { tell: boolean; reason?: "one" | "all" },
): void {
  const { connection } = session;
  world.dropSession(session, how.reason);
  world.note("ended", session);
  session.connection = undefined;
  if (!connection) return;
  connection.session = undefined;
  if (!how.tell) return;
  connection.push(opcode.logout, {});
  connection.close(1000, "logged out");
}
