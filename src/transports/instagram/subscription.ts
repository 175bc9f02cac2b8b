import { messageOf } from "../../platform/message-of.ts";
import { objectsIn, textIn } from "../kit/json.ts";
import { graphOf, type InstagramLink, nodeOf, pageGraph } from "./access.ts";

/** What the transport reads of Meta's news of Instagram. */
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
/** With Facebook Login any field of the page lets the news of its account through. */
const PAGE_FIELDS = ["feed", "messages"];

/** Has Meta send the account's news to the app. Throws `GraphRefusal` or `TransportError`. */
export async function subscribe(link: InstagramLink, signal: AbortSignal): Promise<void> {
  const fields = link.credentials.page_id === undefined ? FIELDS : PAGE_FIELDS;
  const query = { subscribed_fields: fields.join(",") };
  await graphOf(link).call("POST", `${nodeOf(link)}/subscribed_apps`, { query, signal });
}

/**
 * Has the operator's app call our address, where nobody has given it another one. A failure is noted, and leaves it as it
 * was: the address can be entered in the app's dashboard.
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
      return link.log("warn", "The Meta app sends its news of Instagram elsewhere", { url });
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
    link.log("warn", "The Meta app could not be told where to send its news", { detail });
  }
}
