import type { EdgeTable } from "../call/call.ts";
import { fieldsOf } from "../call/call.ts";
import { type Node, pickFields } from "../call/field-tree.ts";
import type { Token } from "../login/token.ts";
import { pageNode } from "./page.ts";

/** A Facebook user, identified only by their token. */
export const userEdges: EdgeTable<Token> = {
  "GET ": (call, token) => {
    call.param.only("fields");
    return pickFields(userNode(token), fieldsOf(call));
  },
  "GET accounts": (call, token) => {
    call.param.only("fields", "limit");
    const accounts = token.accountIds.map((id) => call.world.accounts.get(id));
    const found = accounts.filter((account) => account !== undefined);
    const fields = fieldsOf(call) ?? "access_token,name,id,tasks";
    return { data: found.map((account) => pickFields(pageNode(call, account), fields)) };
  },
};

function userNode({ appId }: Token): Node {
  return { type: "User", defaults: ["name"], fields: { id: `10${appId.slice(-13)}`, name: "Olga Owner" } };
}
