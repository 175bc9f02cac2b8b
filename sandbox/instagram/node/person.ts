import type { Account } from "../account/account.ts";
import type { Conversation } from "../account/conversation.ts";
import { type EdgeTable, fieldsOf, needScope } from "../call/call.ts";
import { pickFields } from "../call/field-tree.ts";
import { instagramError } from "../call/graph-refusal.ts";

/** A person as one account knows them. */
interface Acquaintance {
  readonly account: Account;
  readonly conversation: Conversation;
}

/** https://developers.facebook.com/docs/messenger-platform/instagram/features/user-profile */
export const personEdges: EdgeTable<Acquaintance> = {
  "GET ": (call, { conversation }) => {
    needScope(call, "messages");
    call.param.only("fields");
    if (conversation.lastInboundMs === undefined) {
      throw instagramError("User consent is required to access user profile", 230, 2018218, 403);
    }
    const { igsid, person } = conversation;
    const fields = {
      id: igsid,
      name: person.name,
      username: person.username,
      profile_pic: undefined,
      is_verified_user: false,
      follower_count: 10,
      is_user_follow_business: false,
      is_business_follow_user: false,
    };
    return pickFields({ type: "IGBusinessScopedID", defaults: ["name", "username"], fields }, fieldsOf(call));
  },
};
