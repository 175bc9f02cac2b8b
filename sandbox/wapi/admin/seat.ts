import { AdminError } from "../../http/fields.ts";
import type { PhoneNumber } from "../account/phone-number.ts";
import type { Conversation } from "../chat/conversation.ts";
import type { Person } from "../chat/person.ts";

/** A person in the conversation with a number. */
export interface Seat {
  readonly number: PhoneNumber;
  readonly person: Person;
  readonly conversation: Conversation;
}

export function checkUnblocked({ conversation }: Seat): void {
  if (conversation.blockedByBusiness) {
    throw new AdminError(
      409,
      "blocked",
      "the business has blocked the user; unblock it with block_users first",
    );
  }
  if (!conversation.blocked) return;
  throw new AdminError(409, "blocked", "the user has blocked the business; unblock it first");
}
