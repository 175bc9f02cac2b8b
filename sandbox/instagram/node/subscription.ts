import { badParam } from "../../meta/graph-error.ts";
import { type Account, webhookFields } from "../account/account.ts";
import { type GraphCall, needScope } from "../call/call.ts";

/** Fields of pages; a subscription to any of them includes the events of Instagram. */
const pageFields = ["feed", "messages", "messaging_postbacks", "mention", "name", "picture", "conversations"];

/** The apps subscribed to the account. */
export function listSubscriptions(call: GraphCall, account: Account): unknown {
  needScope(call, "metadata");
  const data = [...account.subscriptions].map(([id, fields]) => ({
    id,
    name: call.world.apps.get(id)?.name ?? "",
    link: `https://www.facebook.com/games/?app_id=${id}`,
    subscribed_fields: [...(fields ?? pageFields.slice(0, 2))],
  }));
  return { data };
}

/** `subscribed_fields`: fields of the page, or, for Instagram Login, of Instagram itself. */
export function subscribe(call: GraphCall, account: Account): unknown {
  needScope(call, "metadata");
  const { login, param, world, caller } = call;
  param.only("subscribed_fields");
  const known = login === "facebook" ? pageFields : webhookFields;
  const value = param.values["subscribed_fields"];
  const fields = (Array.isArray(value) ? value.map(String) : String(value ?? "").split(",")).filter(Boolean);
  if (fields.length === 0) throw badParam("The parameter subscribed_fields is required.");
  const wrong = fields.find((field) => !known.includes(field));
  if (wrong !== undefined) {
    throw badParam(
      `Param subscribed_fields[0] must be one of {${known.join(", ").toUpperCase()}} - got "${wrong}".`,
    );
  }
  account.subscriptions.set(caller.app.id, login === "facebook" ? undefined : new Set(fields));
  world.changed();
  return { success: true };
}

/** Ends the subscription of the calling app. */
export function unsubscribe(call: GraphCall, account: Account): unknown {
  needScope(call, "metadata");
  account.subscriptions.delete(call.caller.app.id);
  call.world.changed();
  return { success: true };
}
