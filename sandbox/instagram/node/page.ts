import type { Account } from "../account/account.ts";
import { type EdgeTable, fieldsOf, type GraphCall, mayUse } from "../call/call.ts";
import { type Node, nested, pickFields } from "../call/field-tree.ts";
import { postAttachment } from "../message/attachment.ts";
import { postMessage } from "../message/send.ts";
import { accountNode } from "./account.ts";
import { listConversations } from "./conversation.ts";
import { listSubscriptions, subscribe, unsubscribe } from "./subscription.ts";

/** A Facebook page, and through it the Instagram account. Only Facebook Login has pages. */
export const pageEdges: EdgeTable<Account> = {
  "GET ": (call, account) => {
    call.param.only("fields");
    return pickFields(pageNode(call, account), fieldsOf(call));
  },
  "GET subscribed_apps": listSubscriptions,
  "POST subscribed_apps": subscribe,
  "DELETE subscribed_apps": unsubscribe,
  "POST messages": postMessage,
  "POST message_attachments": postAttachment,
  "GET conversations": listConversations,
};

export function pageNode(call: GraphCall, account: Account): Node {
  return {
    type: "Page",
    defaults: ["name"],
    fields: {
      id: account.pageId,
      name: account.name,
      category: "Shopping & Retail",
      tasks: ["MODERATE", "MESSAGING", "MANAGE"],
      link: `https://www.facebook.com/${account.pageId}`,
      get access_token() {
        return pageToken(call, account);
      },
      instagram_business_account: nested(accountNode(call.world, account, "facebook")),
      connected_instagram_account: nested(accountNode(call.world, account, "facebook")),
    },
  };
}

/** A page token derived from a long-lived user token does not expire. */
function pageToken({ world, caller }: GraphCall, account: Account): string | undefined {
  const { token } = caller;
  if (token?.kind === "page") return token.value;
  if (token?.kind !== "user" || !mayUse(caller, account)) return undefined;
  const { appId, scopes, longLived } = token;
  const known = [...world.tokens.values()].find(
    (each) =>
      each.kind === "page" &&
      each.appId === appId &&
      each.accountIds.includes(account.id) &&
      !each.withdrawn &&
      each.longLived === longLived &&
      each.scopes.join() === scopes.join(),
  );
  const expiresAtMs = longLived ? undefined : token.expiresAtMs;
  const made = { kind: "page", appId, accountIds: [account.id], scopes, longLived, expiresAtMs } as const;
  return (known ?? world.addToken(made)).value;
}
