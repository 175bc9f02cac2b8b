import { verifyCallback } from "../../meta/challenge.ts";
import { badParam, GraphError } from "../../meta/graph-error.ts";
import { type App, webhookFields } from "../account/account.ts";
import type { EdgeTable, GraphCall } from "../call/call.ts";
import type { World } from "../world.ts";

/** The edges of an app; only for the app itself. */
export const appEdges: EdgeTable<App> = {
  "GET ": (_call, app) => ({ id: app.id, name: app.name }),
  "GET subscriptions": (call, app) => {
    onlyItself(call);
    if (app.callbackUrl === undefined) return { data: [] };
    const fields = [...app.fields].map((name) => ({ name, version: "v23.0" }));
    return { data: [{ object: "instagram", callback_url: app.callbackUrl, active: true, fields }] };
  },
  "POST subscriptions": async (call, app) => {
    onlyItself(call);
    const { param, world } = call;
    param.only("object", "callback_url", "fields", "verify_token", "include_values");
    param.needOneOf("object", ["instagram"]);
    const value = param.values["fields"];
    const fields = (Array.isArray(value) ? value : String(value ?? "").split(",")).map(String);
    await setCallback(world, app, {
      url: param.needText("callback_url"),
      verifyToken: param.needText("verify_token"),
      fields,
    });
    return { success: true };
  },
  "DELETE subscriptions": (call, app) => {
    onlyItself(call);
    app.callbackUrl = undefined;
    call.world.changed();
    return { success: true };
  },
};

/** Sets the app's callback address, after the address has answered the challenge. */
export async function setCallback(
  world: World,
  app: App,
  wanted: { readonly url: string; readonly verifyToken: string; readonly fields: readonly string[] },
): Promise<void> {
  const unknown = wanted.fields.find((field) => !webhookFields.includes(field));
  if (unknown !== undefined) throw badParam(`Invalid field "${unknown}" for instagram`);
  const isLoopback = /^http:\/\/(127\.|localhost|\[::1\])/.test(wanted.url);
  if (!URL.canParse(wanted.url) || !(wanted.url.startsWith("https://") || isLoopback)) {
    throw badParam("Callback URL must be https");
  }
  await verifyCallback(wanted.url, wanted.verifyToken, world.settings.callbackTimeoutMs);
  app.callbackUrl = wanted.url;
  app.fields = new Set(wanted.fields);
  world.changed();
}

function onlyItself({ caller }: GraphCall): void {
  if (caller.token === undefined) return;
  const parts = { status: 400, type: "OAuthException", code: 15 } as const;
  throw new GraphError("(#15) This method must be called with an app access_token.", parts);
}
