import { page } from "../../meta/paging.ts";
import type { Account } from "../account/account.ts";
import { type EdgeTable, fieldsOf, type GraphCall, needScope } from "../call/call.ts";
import { type Node, pickFields } from "../call/field-tree.ts";
import { capabilityMissing } from "../call/graph-refusal.ts";
import type { Login } from "../login/token.ts";
import { postAttachment } from "../message/attachment.ts";
import { postMessage } from "../message/send.ts";
import type { World } from "../world.ts";
import { listConversations } from "./conversation.ts";
import { postNode } from "./post.ts";
import { listSubscriptions, subscribe, unsubscribe } from "./subscription.ts";

/** A professional account. Messages and subscriptions are here for Instagram Login only. */
export const accountEdges: EdgeTable<Account> = {
  "GET ": (call, account) => {
    needScope(call, "basic");
    call.param.only("fields");
    return pickFields(accountNode(call.world, account, call.login), fieldsOf(call));
  },
  "GET media": listPosts("FEED", "REELS"),
  "GET stories": listPosts("STORY"),
  "POST messages": onlyInstagram(postMessage),
  "POST message_attachments": onlyInstagram(postAttachment),
  "GET conversations": onlyInstagram(listConversations),
  "GET subscribed_apps": onlyInstagram(listSubscriptions),
  "POST subscribed_apps": onlyInstagram(subscribe),
  "DELETE subscribed_apps": onlyInstagram(unsubscribe),
};

function onlyInstagram(handler: (call: GraphCall, account: Account) => unknown) {
  return (call: GraphCall, account: Account) => {
    if (call.login !== "instagram") throw capabilityMissing();
    return handler(call, account);
  };
}

export function accountNode(world: World, account: Account, login: Login): Node {
  const posts = [...world.posts.values()].filter(
    ({ accountId, deleted }) => accountId === account.id && !deleted,
  );
  const common = {
    username: account.username,
    name: account.name,
    profile_picture_url: undefined,
    followers_count: account.conversations.size,
    follows_count: 0,
    media_count: posts.length,
    biography: "",
    website: undefined,
  };
  // The two logins have different names for the account's id.
  const ids =
    login === "instagram"
      ? { id: account.appScopedId, user_id: account.id, account_type: "BUSINESS" }
      : { id: account.id, ig_id: Number(account.id.slice(-10)) };
  return { type: "IGUser", defaults: [], fields: { ...ids, ...common } };
}

function listPosts(...types: readonly string[]) {
  return (call: GraphCall, account: Account): unknown => {
    needScope(call, "basic");
    const { world, param } = call;
    param.only("fields", "limit", "after", "before");
    const posts = [...world.posts.values()]
      .filter((post) => post.accountId === account.id && !post.deleted && types.includes(post.productType))
      .reverse()
      .map((post) => pickFields(postNode(world, account, post), fieldsOf(call)));
    return page(posts, param, `${world.url()}/${account.id}/media`);
  };
}
