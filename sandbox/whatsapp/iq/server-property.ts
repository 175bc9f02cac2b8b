import { type Node, node } from "../wire/node.ts";
import { type IqCall, needCompanion } from "./call.ts";

/** Switches of the server: none is set. */
export function answerProperties(call: IqCall): Node[] {
  needCompanion(call);
  return [node("props", { protocol: "1", hash: "sandbox", refresh: "86400", refresh_id: "1" }, [])];
}
