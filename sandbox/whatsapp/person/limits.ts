import { node, seconds as toSeconds } from "../wire/node.ts";
import type { World } from "../world.ts";
import type { Person } from "./person.ts";

/** The account's devices learn whether it may start chats. `open`: without the end. */
export function tellTimelock(world: World, person: Person, { open }: { readonly open: boolean }): void {
  const until = person.restrictedUntilMs;
  tell(world, person, "NotificationUserReachoutTimelockUpdate", {
    xwa2_notify_account_reachout_timelock: {
      is_active: until !== undefined,
      enforcement_type: until === undefined ? "DEFAULT" : "RESTRICT_ALL_COMPANIONS",
      ...(until !== undefined && !open && { time_enforcement_ends: String(Math.floor(until / 1000)) }),
    },
  });
}

/** The account's devices learn how much of its quota of new chats is used. */
export function tellCap(
  world: World,
  person: Person,
  { status, seconds }: { readonly status: string; readonly seconds: number },
): void {
  const nowSeconds = Math.floor(world.nowMs() / 1000);
  tell(world, person, "MessageCappingInfoNotification", {
    xwa2_notify_new_chat_messages_capping_info_update: {
      total_quota: 30,
      used_quota: status === "CAPPED" ? 30 : 20,
      cycle_start_timestamp: String(nowSeconds - 86_400),
      cycle_end_timestamp: String(nowSeconds + seconds),
      server_sent_timestamp: String(nowSeconds),
      capping_status: status,
    },
  });
}

/** A notification of the GraphQL part ("mex"). */
function tell(world: World, person: Person, operation: string, data: object): void {
  for (const companion of world.companions().filter((each) => each.person === person))
    companion.deliver(
      node(
        "notification",
        { from: "s.whatsapp.net", id: world.newMessageId(), t: toSeconds(world.nowMs()), type: "mex" },
        [node("update", { op_name: operation }, Buffer.from(JSON.stringify({ data })))],
      ),
    );
}
