import { isRecord } from "../../http/fields.ts";
import { badParam } from "../../meta/graph-error.ts";
import type { PhoneNumber } from "../account/phone-number.ts";
import { needScope } from "../call/auth.ts";
import type { GraphCall } from "../call/call.ts";

const features = ["calling", "user_identity_change", "payload_encryption", "storage_configuration"] as const;

const defaults = {
  calling: { status: "DISABLED" },
  payload_encryption: { status: "DISABLED" },
  storage_configuration: { status: "DEFAULT" },
};

/** `GET /{number}/settings` */
export function readSettings({ caller, param }: GraphCall, number: PhoneNumber): unknown {
  needScope(caller, "whatsapp_business_management");
  param.only("include_sip_credentials").flag("include_sip_credentials");
  return { ...defaults, ...number.settings };
}

/** `POST /{number}/settings`: one feature at a time; its omitted fields stay unchanged. */
export function writeSettings({ world, caller, param }: GraphCall, number: PhoneNumber): unknown {
  needScope(caller, "whatsapp_business_management");
  const named = features.filter((feature) => param.only(...features).has(feature));
  const [feature] = named;
  if (!feature || named.length > 1) {
    throw badParam(`Exactly one of {${features.join(", ")}} is required.`);
  }
  const change = param.needObject(feature).values;
  const present = number.settings[feature];
  number.settings[feature] = { ...(isRecord(present) && present), ...change };
  world.changed();
  return { success: true };
}
