import { randomUUID } from "node:crypto";
import { verifyCallback } from "../../meta/challenge.ts";
import { type NodeType, selectFields } from "../../meta/fields.ts";
import { badParam } from "../../meta/graph-error.ts";
import { Param } from "../../meta/param.ts";
import type { PhoneNumber } from "../account/phone-number.ts";
import { needScope } from "../call/auth.ts";
import type { EdgeTable, GraphCall } from "../call/call.ts";
import { whatsAppError } from "../call/whatsapp-error.ts";
import { shareContacts } from "../chat/contacts.ts";
import { declineHistory, shareHistory } from "../chat/history.ts";
import { postMessage } from "../message/send.ts";
import type { World } from "../world.ts";
import { blockUsers, listBlockedUsers, unblockUsers } from "./block-users.ts";
import { uploadMedia } from "./media.ts";
import { readSettings, writeSettings } from "./number-settings.ts";
import { listQrCodes, readQrCode, removeQrCode, writeQrCode } from "./qr-code.ts";

const type: NodeType = {
  name: "WhatsAppBusinessPhoneNumber",
  defaults: [
    "verified_name",
    "code_verification_status",
    "display_phone_number",
    "quality_rating",
    "platform_type",
    "throughput",
    "webhook_configuration",
  ],
};

const profileFields = [
  "about",
  "address",
  "description",
  "email",
  "profile_picture_url",
  "websites",
  "vertical",
];
const regions = "AU|ID|IN|JP|SG|KR|DE|CH|GB|BR|BH|ZA|AE|CA".split("|");

/** The edges of a business phone number. */
export const numberEdges: EdgeTable<PhoneNumber> = {
  "GET ": (call, number) => describeNumber(call.world, number, call),
  "POST ": update,
  "POST register": register,
  "POST deregister": deregister,
  "POST messages": ({ world, caller, param, effect }, number) => {
    needScope(caller, "whatsapp_business_messaging");
    return postMessage(world, number, param, effect);
  },
  "POST media": uploadMedia,
  "POST smb_app_data": syncApp,
  "GET whatsapp_business_profile": readProfile,
  "POST whatsapp_business_profile": writeProfile,
  "GET settings": readSettings,
  "POST settings": writeSettings,
  "GET block_users": listBlockedUsers,
  "POST block_users": blockUsers,
  "DELETE block_users": unblockUsers,
  "GET message_qrdls": listQrCodes,
  "GET message_qrdls/{id}": readQrCode,
  "POST message_qrdls": writeQrCode,
  "DELETE message_qrdls/{id}": removeQrCode,
};

/** The number in `GET /{number}` and in the list of an account. */
export function describeNumber(
  world: World,
  number: PhoneNumber,
  { param, caller }: Pick<GraphCall, "param" | "caller">,
): Readonly<Record<string, unknown>> {
  needScope(caller, "whatsapp_business_management");
  const { waba } = number;
  const all = {
    id: number.id,
    display_phone_number: number.displayPhoneNumber,
    verified_name: number.verifiedName,
    quality_rating: number.quality,
    quality_score: { score: number.quality },
    name_status: number.nameStatus,
    new_name_status: "NONE",
    code_verification_status: number.codeVerification,
    status: number.status,
    messaging_limit_tier: waba.limit === "TIER_NOT_SET" ? undefined : waba.limit,
    whatsapp_business_manager_messaging_limit: waba.limit === "TIER_NOT_SET" ? undefined : waba.limit,
    throughput: { level: number.throughput },
    platform_type: number.isRegistered ? "CLOUD_API" : "NOT_APPLICABLE",
    account_mode: "LIVE",
    host_platform: "CLOUD_API",
    is_on_biz_app: number.onBizApp,
    is_pin_enabled: number.pin !== undefined,
    is_official_business_account: false,
    certificate: undefined,
    health_status: undefined,
    last_onboarded_time: undefined,
    country_dial_code: undefined,
    webhook_configuration: webhookConfiguration(world, number, caller.app.id),
  };
  return selectFields(type, all, param.text("fields"));
}

function webhookConfiguration(world: World, number: PhoneNumber, appId: string) {
  const ofNumber = number.overrides.get(appId);
  const ofWaba = number.waba.subscriptions.get(appId)?.overrideUrl;
  const ofApp = world.apps.get(appId)?.callbackUrl;
  const configuration = {
    ...(ofNumber !== undefined && { phone_number: ofNumber }),
    ...(ofWaba !== undefined && { whatsapp_business_account: ofWaba }),
    ...(ofApp !== undefined && { application: ofApp }),
  };
  return Object.keys(configuration).length > 0 ? configuration : undefined;
}

/** Sets the number's own callback (`webhook_configuration`), or a new PIN. */
async function update({ world, caller, param }: GraphCall, number: PhoneNumber): Promise<unknown> {
  needScope(caller, "whatsapp_business_management");
  param.only("webhook_configuration", "pin");
  const pin = param.text("pin");
  if (pin !== undefined) number.pin = checkPin(pin);
  const configuration = param.object("webhook_configuration")?.only("override_callback_uri", "verify_token");
  if (configuration) {
    const url = configuration.text("override_callback_uri", { max: 200 }) ?? "";
    if (url === "") number.overrides.delete(caller.app.id);
    else {
      if (!number.waba.subscriptions.has(caller.app.id)) throw notSubscribed();
      await checkCallback(world, url, configuration.needText("verify_token"));
      number.overrides.set(caller.app.id, url);
    }
  }
  world.changed();
  return { success: true };
}

/** The platform's error for an override without a subscription (chatwoot/chatwoot#13279). */
export function notSubscribed() {
  return badParam(
    "Before override the current callback uri, your app must be subscribed to receive messages for WhatsApp " +
      "Business Account",
  );
}

/** A valid callback address: https, on loopback also http; it must answer the challenge. */
export async function checkCallback(world: World, url: string, verifyToken: string): Promise<void> {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  const isLocal = target && /^(127\.|localhost$|\[::1\]$)/.test(target.hostname);
  if (!target || (target.protocol !== "https:" && !(isLocal && target.protocol === "http:"))) {
    throw badParam("Param callback url must be a valid https URL.");
  }
  await verifyCallback(url, verifyToken, world.settings.callbackTimeoutMs);
}

function register({ world, caller, param }: GraphCall, number: PhoneNumber): unknown {
  needScope(caller, "whatsapp_business_messaging");
  param.only(
    "messaging_product",
    "pin",
    "data_localization_region",
    "tier",
    "meta_store_retention_minutes",
    "backup",
  );
  param.needOneOf("messaging_product", ["whatsapp"]);
  const pin = checkPin(param.needText("pin"));
  if (param.has("data_localization_region")) param.needOneOf("data_localization_region", regions);
  if (number.status === "DELETED") throw whatsAppError(33);
  if (number.pin !== undefined && number.pin !== pin) throw whatsAppError(133005);
  number.pin = pin;
  if (!number.isRegistered) number.status = "CONNECTED";
  world.changed();
  return { success: true };
}

/** Reports contacts or the history of the phone's own app; each can be requested once. */
function syncApp({ world, caller, param }: GraphCall, number: PhoneNumber): unknown {
  needScope(caller, "whatsapp_business_management");
  param.only("messaging_product", "sync_type");
  param.needOneOf("messaging_product", ["whatsapp"]);
  const type = param.needOneOf("sync_type", ["history", "smb_app_state_sync"]);
  if (!number.onBizApp) throw badParam("The number is not in the WhatsApp Business app.");
  if (type === "history") {
    if (number.history === null) throw badParam("The history was requested before.");
    if (number.history === "shared") shareHistory(world, number);
    else declineHistory(world, number);
    number.history = null;
  } else {
    if (number.contactsShared) throw badParam("The contacts were requested before.");
    number.contactsShared = true;
    shareContacts(world, number);
  }
  world.changed();
  return { messaging_product: "whatsapp", request_id: randomUUID() };
}

function checkPin(pin: string): string {
  if (/^\d{6}$/.test(pin)) return pin;
  throw badParam("Invalid parameter: pin must be exactly 6 digits.");
}

function deregister({ world, caller }: GraphCall, number: PhoneNumber): unknown {
  needScope(caller, "whatsapp_business_messaging");
  if (!number.isRegistered) throw whatsAppError(133010);
  number.status = "DISCONNECTED";
  world.changed();
  return { success: true };
}

function readProfile({ caller, param }: GraphCall, number: PhoneNumber): unknown {
  needScope(caller, "whatsapp_business_messaging");
  const wanted = param.text("fields")?.split(",") ?? ["about"];
  const unknown = wanted.find((name) => !profileFields.includes(name) && name !== "messaging_product");
  if (unknown)
    throw badParam(`Tried accessing nonexisting field (${unknown}) on node type (WhatsAppBusinessProfile)`);
  const known = wanted.filter((name) => name in number.profile).map((name) => [name, number.profile[name]]);
  return { data: [{ ...Object.fromEntries(known), messaging_product: "whatsapp" }] };
}

function writeProfile({ world, caller, param }: GraphCall, number: PhoneNumber): unknown {
  needScope(caller, "whatsapp_business_messaging");
  param.only("messaging_product", "profile_picture_handle", ...profileFields);
  param.needOneOf("messaging_product", ["whatsapp"]);
  const { messaging_product: _product, ...profile } = param.values;
  Object.assign(number.profile, profile);
  world.changed();
  return { success: true };
}

/** For lists: the same selection of fields for each number. */
export function fieldsOnly(param: Param): Param {
  return new Param(param.has("fields") ? { fields: param.text("fields") } : {});
}
