import { objectIn, objectsIn, textIn } from "../kit/json.ts";
import { GraphRefusal } from "../meta/error.ts";
import type { Graph } from "../meta/graph.ts";
import type { WapiLink } from "./access.ts";
import { channelFault, toTransportError } from "./errors.ts";

/** What Meta knows of our app and the business; `unknown` where the token's app is not known to us. */
type Subscription = "none" | "ours" | "elsewhere" | "unknown";

/**
 * Messages of the business come to our address, whatever the app's own one is. Meta wants the app to be subscribed to
 * the business first, then takes the address if it answers (page "Webhook overrides"). An app that is subscribed stays
 * so: subscribing it anew would lead messages to its own address for a moment. Where Meta does not take our address,
 * the app's own one has to lead to us, which is noted.
 */
export async function subscribe(graph: Graph, link: WapiLink, signal: AbortSignal): Promise<void> {
  const path = `${link.credentials.waba_id}/subscribed_apps`;
  const post = (body: object) => graph.call("POST", path, { body, signal });
  const present = presentIn(await graph.call("GET", path, { signal }), link);
  if (present === "ours") return;
  if (present === "none") await post({});
  const override = { override_callback_uri: link.callbackUrl, verify_token: link.callbackSecret };
  let refusal = await refusalOf(post(override));
  if (refusal !== null && present === "unknown") {
    await post({});
    refusal = await refusalOf(post(override));
  }
  if (refusal === null) return;
  const detail = refusal.message;
  link.log("warn", "Meta does not take the callback address; that of your app has to lead here", { detail });
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

/** The operator's app, unless the token belongs to one of the owner's; null where it is not known which. */
function appIdOf({ settings, credentials }: WapiLink): string | null {
  return settings.appId === "" || credentials.app_secret !== undefined ? null : settings.appId;
}

/** A refusal that concerns the address alone; throws any other. */
async function refusalOf(request: Promise<unknown>): Promise<GraphRefusal | null> {
  try {
    await request;
    return null;
  } catch (error) {
    if (!(error instanceof GraphRefusal) || channelFault(error.error) !== null) throw error;
    if (typeof toTransportError(error).retry === "object") throw error;
    return error;
  }
}
