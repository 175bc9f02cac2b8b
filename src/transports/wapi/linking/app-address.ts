import { messageOf } from "../../../platform/message-of.ts";
import { type Json, objectsIn, textIn } from "../../kit/json.ts";
import type { Graph } from "../../meta/graph.ts";
import { graphWith, type WapiLink } from "./access.ts";

const OBJECT = "whatsapp_business_account";
/** The webhook fields that the connector handles. */
const FIELDS: readonly string[] = [
  "messages",
  "smb_message_echoes",
  "history",
  "smb_app_state_sync",
  "user_id_update",
  "calls",
  "message_template_status_update",
  "template_category_update",
  "phone_number_quality_update",
  "phone_number_name_update",
  "business_capability_update",
  "account_update",
  "account_review_update",
];

/**
 * Registers our webhook URL for the operator's app unless another URL is set. Messages can be redirected here per
 * business; all other fields are sent to the app's own URL. A failure is only logged.
 */
export async function claimAppAddress(link: WapiLink, signal: AbortSignal): Promise<void> {
  const { appId, appSecret } = link.settings;
  if (appId === "" || appSecret === "" || link.credentials.app_secret !== undefined) return;
  try {
    const graph = graphWith(link, `${appId}|${appSecret}`);
    const present = await presentAddress(graph, appId, signal);
    const url = present === null ? null : (textIn(present, "callback_url") ?? "");
    if (url !== null && url !== link.callbackUrl)
      return link.log("info", "The Meta app's webhook URL is another one; only messages are sent here", {
        url,
      });
    if (present !== null && hasAllFields(present)) return;
    await register(graph, link, signal);
  } catch (error) {
    const detail = messageOf(error);
    link.log("warn", "The Meta app's webhook URL could not be registered", { detail });
  }
}

async function presentAddress(graph: Graph, appId: string, signal: AbortSignal): Promise<Json | null> {
  const answer = await graph.call("GET", `${appId}/subscriptions`, { signal });
  return objectsIn(answer, "data").find((each) => textIn(each, "object") === OBJECT) ?? null;
}

function hasAllFields(subscription: Json): boolean {
  const names = objectsIn(subscription, "fields").map((field) => textIn(field, "name"));
  return subscription["active"] !== false && FIELDS.every((field) => names.includes(field));
}

async function register(graph: Graph, link: WapiLink, signal: AbortSignal): Promise<void> {
  const body = {
    object: OBJECT,
    callback_url: link.callbackUrl,
    verify_token: link.callbackSecret,
    fields: FIELDS.join(","),
  };
  await graph.call("POST", `${link.settings.appId}/subscriptions`, { body, signal });
}
