import { pushHistory } from "../chat/history.ts";
import type { Companion } from "../person/person.ts";
import { node, seconds, serverName } from "../wire/node.ts";
import type { World } from "../world.ts";

/**
 * Sends a device what waits for it: a preview of how much there is, the stanzas, and a mark of their end. A device gets
 * it at its login, or, if it logs in as passive, once it asks for it. Without effect when repeated on a connection.
 */
export function sendWaiting(world: World, companion: Companion): void {
  if (companion.isReady) return;
  preview(world, companion);
  const count = companion.catchUp();
  companion.tell(node("ib", { from: serverName }, [node("offline", { count: String(count) })]));
  world.note("ready", companion, String(count));
  // Phones continue to push for a while; a device that was disconnected meanwhile gets it with its next connection.
  const isDue = companion.history !== "taken" && companion.person.absentSinceMs === undefined;
  if (isDue && world.settings.history === "auto") pushHistory(world, companion);
}

/** Clients answer it with the number of stanzas that they want at a time, which the emulator does not limit. */
function preview(world: World, { connection, unconfirmed }: Companion): void {
  if (unconfirmed.length === 0) return;
  const countOf = (tag: string) => String(unconfirmed.filter((each) => each.tag === tag).length);
  const counts = {
    count: String(unconfirmed.length),
    appdata: "0",
    message: countOf("message"),
    notification: countOf("notification"),
    receipt: countOf("receipt"),
    call: countOf("call"),
    t: seconds(world.nowMs()),
  };
  connection?.send(node("ib", { from: serverName }, [node("offline_preview", counts)]));
}
