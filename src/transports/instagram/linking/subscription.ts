import { messageOf } from "../../../platform/message-of.ts";
import { objectsIn, textIn } from "../../kit/json.ts";
import { graphOf, type InstagramLink, nodeOf, pageGraph } from "../access.ts";

/** The webhook fields that the connector handles. */
const FIELDS = [
  "messages",
  "messaging_postbacks",
  "messaging_seen",
  "message_reactions",
  "messaging_referral",
  "message_edit",
  "comments",
  "live_comments",
];
/** With Facebook Login, a subscription to any page field enables the account's notifications. */
const PAGE_FIELDS = ["feed", "messages"];

/** Subscribes the app to the account's notifications. Throws `GraphRefusal` or `TransportError`. */
export async function subscribe(link: InstagramLink, signal: AbortSignal): Promise<void> {
  const fields = link.credentials.page_id === undefined ? FIELDS : PAGE_FIELDS;
  const query = { subscribed_fields: fields.join(",") };
  await graphOf(link).call("POST", `${nodeOf(link)}/subscribed_apps`, { query, signal });
}

/**
 * Registers our webhook URL for the operator's app unless another URL is set. A failure is only logged, because the
 * URL can also be entered in the app's dashboard.
 */
export async function claimAppAddress(link: InstagramLink, signal: AbortSignal): Promise<void> {
  const { appId, appSecret } = link.settings;
  if (appId === "" || appSecret === "") return;
  try {
    const graph = pageGraph(link, `${appId}|${appSecret}`);
    const answer = await graph.call("GET", `${appId}/subscriptions`, { signal });
    const present = objectsIn(answer, "data").find((each) => textIn(each, "object") === "instagram");
    const url = textIn(present, "callback_url");
    if (url !== undefined && url !== link.callbackUrl)
      return link.log("warn", "The Meta app sends its Instagram webhooks to another URL", { url });
    const names = objectsIn(present, "fields").map((field) => textIn(field, "name"));
    if (url !== undefined && FIELDS.every((field) => names.includes(field))) return;
    const body = {
      object: "instagram",
      callback_url: link.callbackUrl,
      verify_token: link.callbackSecret,
      fields: FIELDS.join(","),
    };
    await graph.call("POST", `${appId}/subscriptions`, { body, signal });
  } catch (error) {
    const detail = messageOf(error);
    link.log("warn", "The Meta app's webhook URL could not be registered", { detail });
  }
}
