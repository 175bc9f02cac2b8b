import { bytesOf, type Node, node } from "../wire/node.ts";
import { type IqCall, needCompanion, notDone } from "./call.ts";

/** The query for "may this account start new chats?" */
const timelockQuery = "23983697327930364";

/** GraphQL queries: only whether the account may start new chats. */
export function answerRestriction(call: IqCall): Node[] {
  const { person } = needCompanion(call);
  if (call.first?.attrs["query_id"] !== timelockQuery || !bytesOf(call.first)) throw notDone();
  const until = person.restrictedUntilMs ?? 0;
  const isActive = until > call.world.nowMs();
  const answer = {
    data: {
      xwa2_fetch_account_reachout_timelock: {
        is_active: isActive,
        time_enforcement_ends: isActive ? String(Math.floor(until / 1000)) : "0",
        enforcement_type: isActive ? "RESTRICT_ALL_COMPANIONS" : "DEFAULT",
      },
    },
  };
  return [node("result", {}, Buffer.from(JSON.stringify(answer)))];
}
