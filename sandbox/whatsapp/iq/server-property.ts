import { type Node, node } from "../wire/node.ts";
import { type IqCall, needCompanion, notDone } from "./call.ts";

/**
 * Server properties: none is set. Clients query them in the namespace `abt` with protocol 1, older ones (baileys 6)
 * in `w` with protocol 2; the response has the protocol of the query.
 */
export function answerProperties(call: IqCall): Node[] {
  needCompanion(call);
  if (call.first?.tag !== "props") throw notDone();
  const { protocol = "1" } = call.first.attrs;
  return [node("props", { protocol, hash: "sandbox", refresh: "86400", refresh_id: "1" }, [])];
}
