import { type NodeType, selectFields } from "../../meta/fields.ts";
import { page } from "../../meta/paging.ts";
import type { Waba } from "../account/account.ts";
import { needScope } from "../call/auth.ts";
import type { EdgeTable, GraphCall, GraphHandler } from "../call/call.ts";
import { whatsAppError } from "../call/whatsapp-error.ts";
import { checkCallback, describeNumber, fieldsOnly, notSubscribed } from "./number.ts";
import { createTemplate, deleteTemplates, listTemplates, readTemplateOf } from "./template.ts";

const type: NodeType = {
  name: "WhatsAppBusinessAccount",
  defaults: ["name", "timezone_id", "message_template_namespace"],
};

/** The edges of an account. */
export const wabaEdges: EdgeTable<Waba> = limited({
  "GET ": describeWaba,
  "GET phone_numbers": listNumbers,
  "GET subscribed_apps": listSubscriptions,
  "POST subscribed_apps": subscribe,
  "DELETE subscribed_apps": unsubscribe,
  "GET message_templates": listTemplates,
  "GET message_templates/{id}": readTemplateOf,
  "POST message_templates": createTemplate,
  "DELETE message_templates": deleteTemplates,
});

/** Management calls count against the account's limit. */
function limited(edges: EdgeTable<Waba>): EdgeTable<Waba> {
  const entries = Object.entries(edges).map(([name, handler]) => {
    const counted: GraphHandler<Waba> = (call, waba) => {
      const refused = call.world.limiter.refuseCall(waba.id);
      if (refused !== undefined) throw whatsAppError(refused);
      return handler(call, waba);
    };
    return [name, counted] as const;
  });
  return Object.fromEntries(entries);
}

function describeWaba({ caller, param }: GraphCall, waba: Waba): unknown {
  needScope(caller, "whatsapp_business_management");
  const all = {
    id: waba.id,
    name: waba.name,
    timezone_id: "1",
    currency: "USD",
    country: "US",
    message_template_namespace: waba.namespace,
    account_review_status: waba.reviewStatus,
    business_verification_status: "verified",
    ownership_type: "CLIENT_OWNED",
    status: waba.ban === "DISABLE" ? "DISABLED" : "ACTIVE",
    owner_business_info: { id: waba.businessId, name: waba.name },
    health_status: undefined,
    whatsapp_business_manager_messaging_limit: waba.limit === "TIER_NOT_SET" ? undefined : waba.limit,
  };
  return selectFields(type, all, param.text("fields"));
}

function listNumbers({ world, caller, param, version }: GraphCall, waba: Waba): unknown {
  param.only("fields", "limit", "after", "before", "filtering", "sort");
  const fields = { param: fieldsOnly(param), caller };
  const numbers = world
    .numbersOf(waba)
    .filter(({ status }) => status !== "DELETED")
    .map((number) => describeNumber(world, number, fields));
  return page(numbers, param, `${world.url()}/${version}/${waba.id}/phone_numbers`);
}

function listSubscriptions({ world, caller }: GraphCall, waba: Waba): unknown {
  needScope(caller, "whatsapp_business_management");
  const data = [...waba.subscriptions].map(([id, { overrideUrl }]) => ({
    whatsapp_business_api_data: {
      id,
      link: `https://www.facebook.com/games/?app_id=${id}`,
      name: world.apps.get(id)?.name ?? "",
    },
    ...(overrideUrl !== undefined && { override_callback_uri: overrideUrl }),
  }));
  return { data };
}

/**
 * Without a body: the app's own callback. With `override_callback_uri`: another one, which must answer the challenge
 * first.
 */
async function subscribe({ world, caller, param }: GraphCall, waba: Waba): Promise<unknown> {
  needScope(caller, "whatsapp_business_management");
  param.only("override_callback_uri", "verify_token");
  const url = param.text("override_callback_uri", { max: 200 });
  if (url !== undefined) {
    if (!waba.subscriptions.has(caller.app.id)) throw notSubscribed();
    await checkCallback(world, url, param.needText("verify_token"));
  }
  waba.subscriptions.set(caller.app.id, { overrideUrl: url });
  world.changed();
  return { success: true };
}

function unsubscribe({ world, caller }: GraphCall, waba: Waba): unknown {
  needScope(caller, "whatsapp_business_management");
  waba.subscriptions.delete(caller.app.id);
  world.changed();
  return { success: true };
}
