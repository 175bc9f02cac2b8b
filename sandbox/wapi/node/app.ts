import { badParam, GraphError } from "../../meta/graph-error.ts";
import { type App, webhookFields } from "../account/account.ts";
import type { EdgeTable, GraphCall } from "../call/call.ts";
import { checkCallback } from "./number.ts";

/** The edges of an app; only for the app itself. */
export const appEdges: EdgeTable<App> = {
  "GET ": (_call, app) => ({ id: app.id, name: app.name }),
  "GET subscriptions": listSubscriptions,
  "POST subscriptions": subscribe,
  "DELETE subscriptions": (call, app) => {
    onlyItself(call);
    app.callbackUrl = undefined;
    call.world.changed();
    return { success: true };
  },
};

function listSubscriptions(call: GraphCall, app: App): unknown {
  onlyItself(call);
  if (app.callbackUrl === undefined) return { data: [] };
  const fields = [...app.fields].map((name) => ({ name, version: call.version }));
  return {
    data: [{ object: "whatsapp_business_account", callback_url: app.callbackUrl, active: true, fields }],
  };
}

/** https://developers.facebook.com/docs/graph-api/reference/app/subscriptions */
async function subscribe(call: GraphCall, app: App): Promise<unknown> {
  onlyItself(call);
  const { param, world } = call;
  param.only("object", "callback_url", "fields", "verify_token", "include_values");
  param.needOneOf("object", ["whatsapp_business_account"]);
  const url = param.needText("callback_url");
  const fields = readFields(param.values["fields"]);
  await checkCallback(world, url, param.needText("verify_token"));
  app.callbackUrl = url;
  app.fields = new Set(fields);
  world.changed();
  return { success: true };
}

/** A list, or names separated by commas. */
function readFields(value: unknown): readonly string[] {
  const names = Array.isArray(value) ? value.map(String) : String(value ?? "").split(",");
  const known: readonly string[] = webhookFields;
  for (const name of names) {
    if (!known.includes(name.trim()))
      throw badParam(`Invalid field "${name.trim()}" for whatsapp_business_account`);
  }
  return names.map((name) => name.trim());
}

function onlyItself({ caller }: GraphCall): void {
  if (caller.token === undefined) return;
  throw new GraphError("(#15) This method must be called with an app access_token.", {
    status: 400,
    type: "OAuthException",
    code: 15,
  });
}
