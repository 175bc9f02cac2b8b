import { objectIn, objectsIn, textIn } from "../../kit/json.ts";
import { GraphRefusal } from "../../meta/error.ts";
import type { Graph } from "../../meta/graph.ts";
import { channelFault, toTransportError } from "../errors.ts";
import type { WapiLink } from "./access.ts";

/** The state of our app's subscription to the business; `unknown` if the token's app is not known. */
type Subscription = "none" | "ours" | "elsewhere" | "unknown";

/**
 * Redirects the business's messages to our webhook URL, whatever the app's own URL is. Meta requires the app to be
 * subscribed to the business first, and then verifies the URL (page "Webhook overrides"). An existing subscription is
 * kept, because subscribing again would send messages to the app's own URL for a moment. Returns Meta's refusal of our
 * URL, null if there is none; until Meta accepts it, the app's own URL must point to us.
 */
export async function subscribe(
  graph: Graph,
  link: WapiLink,
  signal: AbortSignal,
): Promise<GraphRefusal | null> {
  const path = `${link.credentials.waba_id}/subscribed_apps`;
  const post = (body: object) => graph.call("POST", path, { body, signal });
  const present = presentIn(await graph.call("GET", path, { signal }), link);
  if (present === "ours") return null;
  if (present === "none") await post({});
  const override = { override_callback_uri: link.callbackUrl, verify_token: link.callbackSecret };
  const refusal = await refusalOf(post(override));
  if (refusal === null || present !== "unknown") return refusal;
  await post({});
  return refusalOf(post(override));
}

function presentIn(answer: object, link: WapiLink): Subscription {
  const all = objectsIn(answer, "data");
  if (all.length === 0) return "none";
  const appId = appIdOf(link);
  if (appId === null) return all.some((each) => leadsTo(each, link)) ? "ours" : "unknown";
  const own = all.find((each) => textIn(objectIn(each, "whatsapp_business_api_data"), "id") === appId);
  if (own === undefined) return "none";
  return leadsTo(own, link) ? "ours" : "elsewhere";
}

function leadsTo(subscription: object, link: WapiLink): boolean {
  return textIn(subscription, "override_callback_uri") === link.callbackUrl;
}

/** The operator's app, unless the token belongs to the owner's own app; null if the app is not known. */
function appIdOf({ settings, credentials }: WapiLink): string | null {
  return settings.appId === "" || credentials.app_secret !== undefined ? null : settings.appId;
}

/** Returns a refusal that concerns only the URL; throws any other. */
async function refusalOf(request: Promise<unknown>): Promise<GraphRefusal | null> {
  try {
    await request;
    return null;
  } catch (error) {
    if (!(error instanceof GraphRefusal) || channelFault(error.error) !== null) throw error;
    if (toTransportError(error).retry !== "never") throw error;
    return error;
  }
}
