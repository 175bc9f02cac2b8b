import { pushHistory } from "../chat/history.ts";
import { type Node, node, serverName } from "../wire/node.ts";
import { type IqCall, needCompanion } from "./call.ts";

/** The device wants what waits for it, now that it is ready; then it hears that this was all. */
export function answerPassive(call: IqCall): Node[] | undefined {
  const { world, first } = call;
  const companion = needCompanion(call);
  if (first?.tag !== "active") return undefined;
  call.afterwards(() => {
    const count = companion.catchUp();
    companion.tell(node("ib", { from: serverName }, [node("offline", { count: String(count) })]));
    world.note("ready", companion, String(count));
    // Phones go on pushing for a while; a device that was cut off in the middle gets it with its next connection.
    const isDue = companion.history !== "taken" && companion.person.absentSinceMs === undefined;
    if (isDue && world.settings.history === "auto") pushHistory(world, companion);
  });
  return undefined;
}
