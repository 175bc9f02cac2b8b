import { badParam, GraphError } from "../../meta/graph-error.ts";
import { page } from "../../meta/paging.ts";
import type { PhoneNumber } from "../account/phone-number.ts";
import { needScope } from "../call/auth.ts";
import type { GraphCall } from "../call/call.ts";
import type { Conversation } from "../chat/conversation.ts";
import { isUserId, userIdOf } from "../chat/person.ts";
import type { World } from "../world.ts";

const maxUsers = 1000;

/** A person as named by the caller. */
interface Named {
  readonly input: string;
  /** Absent if there is no conversation between them. */
  readonly conversation?: Conversation;
}

/** `GET /{number}/block_users` */
export function listBlockedUsers(call: GraphCall, number: PhoneNumber): unknown {
  const { world, caller, param, version } = call;
  needScope(caller, "whatsapp_business_messaging");
  param.only("limit", "after", "before");
  const data = [...number.conversations.values()]
    .filter(({ blockedByBusiness }) => blockedByBusiness)
    .map(({ person }) => ({ messaging_product: "whatsapp", wa_id: person.phone }));
  return page(data, param, `${world.url()}/${version}/${number.id}/block_users`);
}

/** `POST /{number}/block_users`: only people who wrote within 24 hours can be blocked. */
export function blockUsers(call: GraphCall, number: PhoneNumber): unknown {
  return setBlocked(call, number, true);
}

/** `DELETE /{number}/block_users` */
export function unblockUsers(call: GraphCall, number: PhoneNumber): unknown {
  return setBlocked(call, number, false);
}

function setBlocked({ world, caller, param }: GraphCall, number: PhoneNumber, blocked: boolean): unknown {
  needScope(caller, "whatsapp_business_messaging");
  param.only("messaging_product", "block_users").needOneOf("messaging_product", ["whatsapp"]);
  const users = param.needList("block_users").map((user) => user.only("user").needText("user"));
  if (users.length === 0 || users.length > maxUsers) {
    throw badParam(`Param block_users must have 1 to ${maxUsers} users.`);
  }
  const named = users.map((input) => find(world, number, input));
  const [done, failed] = part(named, (conversation) => !blocked || conversation.isOpen(world.clock.nowMs()));
  for (const { conversation } of done) conversation.blockedByBusiness = blocked;
  world.changed();
  const changed = {
    [blocked ? "added_users" : "removed_users"]: done.map(({ input, conversation }) => ({
      input,
      wa_id: conversation.person.phone,
    })),
  };
  if (failed.length > 0) throw bulkFailure({ ...changed, failed_users: failed.map(describeFailure) });
  return { messaging_product: "whatsapp", block_users: changed };
}

/** The people for whom the action is possible, and the others. */
function part(
  named: readonly Named[],
  isPossible: (conversation: Conversation) => boolean,
): [done: Required<Named>[], failed: Named[]] {
  const done: Required<Named>[] = [];
  const failed: Named[] = [];
  for (const one of named) {
    const { input, conversation } = one;
    if (conversation && isPossible(conversation)) done.push({ input, conversation });
    else failed.push(one);
  }
  return [done, failed];
}

/** By number, in any format, or by business-scoped id. */
function find(world: World, number: PhoneNumber, input: string): Named {
  const phone = input.replace(/[+\s()-]/g, "");
  const person = isUserId(input)
    ? [...world.people.values()].find((one) => userIdOf(one, number.waba.businessId) === input)
    : world.personByPhone(phone);
  const conversation = person && number.conversations.get(person.id);
  return { input, ...(conversation && { conversation }) };
}

function describeFailure({ input, conversation }: Named) {
  return {
    input,
    ...(conversation && { wa_id: conversation.person.phone }),
    errors: [
      {
        code: 131047,
        message: "Re-engagement message",
        error_data: { details: "The user has not messaged the business in the last 24 hours." },
      },
    ],
  };
}

/** Those who can be blocked are blocked, although the response is an error. */
function bulkFailure(users: Readonly<Record<string, unknown>>): GraphError {
  return new GraphError("(#139100) Failed to block/unblock users", {
    status: 400,
    type: "OAuthException",
    code: 139100,
    details: "Some users were not blocked or unblocked.",
    beside: { messaging_product: "whatsapp", block_users: users },
  });
}
