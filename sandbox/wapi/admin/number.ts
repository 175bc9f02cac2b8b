import { AdminError, type Fields, invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import {
  type NumberStatus,
  numberStatuses,
  type PhoneNumber,
  type SentRecord,
} from "../account/phone-number.ts";
import { isTier } from "../account/tier.ts";
import { tellContacts } from "../chat/contacts.ts";
import { errorShape, tellStatus } from "../chat/status.ts";
import type { StatusName, StoredMessage } from "../chat/stored-message.ts";
import { echoToPerson, type Words } from "../inbound.ts";
import { announce, metadataOf } from "../update/announce.ts";
import type { World } from "../world.ts";
import { readWords } from "./content.ts";

const statusNames: readonly StatusName[] = ["sent", "delivered", "read", "failed", "played", "deleted"];

/** Business phone numbers: creating them, reading what they send, and changes by Meta. */
export function numberRoutes(world: World): AdminRoute[] {
  const numberOf = ({ params }: AdminCall) => world.number(params.needText("number_id"));
  return [
    ["POST", "/numbers", ({ body }) => describe(addNumber(world, body))],
    ["GET", "/numbers", () => ({ items: [...world.numbers.values()].map(describe) })],
    ["GET", "/numbers/{number_id}", (call) => describe(numberOf(call))],
    ["GET", "/numbers/{number_id}/sent", (call) => numberOf(call).sent.read(sentQuery(call))],
    ["POST", "/numbers/{number_id}/states", (call) => setState(world, numberOf(call), call.body)],
    ["POST", "/numbers/{number_id}/qualities", (call) => setQuality(world, numberOf(call), call.body)],
    ["POST", "/numbers/{number_id}/names", (call) => decideName(world, numberOf(call), call.body)],
    ["POST", "/numbers/{number_id}/offboardings", (call) => offboard(world, numberOf(call), call.body)],
    ["POST", "/numbers/{number_id}/echoes", (call) => echo(world, numberOf(call), call.body)],
    ["POST", "/numbers/{number_id}/contacts", (call) => editContact(world, numberOf(call), call.body)],
    ["POST", "/numbers/{number_id}/errors", (call) => tellError(world, numberOf(call), call.body)],
    ["POST", "/numbers/{number_id}/statuses", (call) => giveStatus(world, numberOf(call), call.body)],
  ];
}

function addNumber(world: World, body: Fields): PhoneNumber {
  const phone = body.text("phone") ?? freePhone(world);
  if (!/^\d{7,15}$/.test(phone)) throw invalid("phone", "7 to 15 digits");
  return world.addNumber({
    id: body.text("id"),
    waba: world.waba(body.needText("waba_id")),
    phone,
    verifiedName: body.text("verified_name") ?? "Lucky Shrub",
    onBizApp: body.flag("on_biz_app") ?? false,
    sharesHistory: body.flag("shares_history") ?? true,
    registered: body.flag("registered") ?? true,
  });
}

function freePhone(world: World): string {
  return String(15_550_780_000 + world.numbers.size + 1);
}

function describe(number: PhoneNumber): unknown {
  return {
    id: number.id,
    waba_id: number.waba.id,
    phone: number.phone,
    display_phone_number: number.displayPhoneNumber,
    verified_name: number.verifiedName,
    on_biz_app: number.onBizApp,
    status: number.status,
    quality_rating: number.quality,
    messaging_limit: number.waba.limit,
    override_callback_uris: Object.fromEntries(number.overrides),
    users: [...number.conversations.keys()],
    sent_total: number.sent.lastSeq,
  };
}

function sentQuery(call: AdminCall) {
  const user = call.query.text("user");
  const type = call.query.text("type");
  if (user === undefined && type === undefined) return journalQuery<SentRecord>(call);
  return journalQuery<SentRecord>(
    call,
    (sent) => (user ?? sent.user) === sent.user && (type ?? sent.type) === sent.type,
  );
}

/** `DELETED` numbers return code 33, `BANNED` ones 131031, `DISCONNECTED` and `PENDING` ones 133010. */
function setState(world: World, number: PhoneNumber, body: Fields): unknown {
  const text = body.needText("status");
  const status = numberStatuses.find((candidate: NumberStatus) => candidate === text);
  if (!status) throw invalid("status", numberStatuses.join(", "));
  number.status = status;
  world.changed();
  return describe(number);
}

/** `phone_number_quality_update`; `FLAGGED` and `UNFLAGGED` change the number's status, too; `legacy: false` omits `current_limit`, as since 2026. */
function setQuality(world: World, number: PhoneNumber, body: Fields): unknown {
  const { waba } = number;
  const event = body.text("event") ?? "ONBOARDING";
  const tier = body.text("tier");
  if (tier !== undefined && !isTier(tier)) throw invalid("tier", "a tier, e.g. TIER_2K");
  const old = waba.limit;
  if (tier !== undefined) waba.limit = tier;
  number.quality = body.text("quality_rating") ?? number.quality;
  if (event === "THROUGHPUT_UPGRADE") number.throughput = "HIGH";
  if (event === "FLAGGED") number.status = "FLAGGED";
  if (event === "UNFLAGGED" && number.status === "FLAGGED") number.status = "CONNECTED";
  const legacy = body.flag("legacy") ?? true;
  const value = {
    display_phone_number: number.phone,
    event,
    ...(legacy && tier !== undefined && { old_limit: old, current_limit: tier }),
    ...(tier !== undefined && { max_daily_conversations_per_business: tier }),
  };
  world.changed();
  const place = { waba, number, orderingKey: `number ${number.id}` };
  return { callbacks: announce(world, place, { field: "phone_number_quality_update", value }) };
}

function decideName(world: World, number: PhoneNumber, body: Fields): unknown {
  const decision = body.text("decision") ?? "APPROVED";
  const name = body.text("requested_verified_name") ?? number.verifiedName;
  number.nameStatus = decision === "APPROVED" ? "APPROVED" : "DECLINED";
  if (decision === "APPROVED") number.verifiedName = name;
  const value = {
    display_phone_number: number.phone,
    decision,
    requested_verified_name: name,
    rejection_reason:
      decision === "APPROVED" ? null : (body.text("rejection_reason") ?? "NAME_EMPLOYEE_NAME"),
  };
  world.changed();
  const place = { waba: number.waba, number, orderingKey: `number ${number.id}` };
  return { callbacks: announce(world, place, { field: "phone_number_name_update", value }) };
}

/** A number that is also in the phone's own app leaves the Cloud API, or comes back. */
function offboard(world: World, number: PhoneNumber, body: Fields): unknown {
  const isBack = body.flag("back") ?? false;
  number.status = isBack ? "CONNECTED" : "DISCONNECTED";
  const { waba } = number;
  const value = {
    event: isBack ? "ACCOUNT_RECONNECTED" : "ACCOUNT_OFFBOARDED",
    phone_number: number.phone,
    waba_info: { waba_id: waba.id, owner_business_id: waba.businessId },
  };
  world.changed();
  const place = { waba, number, orderingKey: `account ${waba.id}` };
  return { callbacks: announce(world, place, { field: "account_update", value }) };
}

/** The owner writes, edits or deletes in the phone's own app. */
async function echo(world: World, number: PhoneNumber, body: Fields): Promise<unknown> {
  checkOnBizApp(number);
  const person = world.person(body.needText("user_id"));
  const conversation = number.conversationWith(person);
  const words = readChange(body) ?? (await readWords(world, { number, conversation }, body));
  return echoToPerson(world, number, person, words);
}

function checkOnBizApp(number: PhoneNumber): void {
  if (number.onBizApp) return;
  throw new AdminError(409, "not_on_biz_app", "the number is not used in the phone's app (on_biz_app)");
}

/** The owner adds, edits or removes (without `full_name`) a contact in the phone's own app. */
function editContact(world: World, number: PhoneNumber, body: Fields): unknown {
  checkOnBizApp(number);
  const phone = body.needText("phone");
  const fullName = body.text("full_name");
  if (fullName === undefined) number.contacts.delete(phone);
  else number.contacts.set(phone, { fullName, firstName: fullName.split(" ")[0] ?? fullName });
  world.changed();
  return { callbacks: tellContacts(world, number, [phone]) };
}

/** `kind: "edit"|"revoke"` with `message_id`. */
function readChange(body: Fields): Words | undefined {
  const kind = body.text("kind");
  if (kind !== "edit" && kind !== "revoke") return undefined;
  const original = { original_message_id: body.needText("message_id") };
  if (kind === "revoke") return { type: "revoke", value: original };
  const message = { type: "text", text: { body: body.needText("text") } };
  return { type: "edit", value: { ...original, message } };
}

/** An error without a message: `messages` with only `errors`. */
function tellError(world: World, number: PhoneNumber, body: Fields): unknown {
  const code = body.integer("error_code") ?? 131000;
  const details = body.text("details");
  const error = errorShape({ code, ...(details !== undefined && { details }) });
  const value = { messaging_product: "whatsapp", metadata: metadataOf(number), errors: [error] };
  const place = { waba: number.waba, number, orderingKey: `number ${number.id}` };
  return { callbacks: announce(world, place, { field: "messages", value }) };
}

/** Any status for any message of the number: delayed, repeated, or out of order. */
function giveStatus(world: World, number: PhoneNumber, body: Fields): unknown {
  const id = body.needText("message_id");
  const text = body.needText("status");
  const status = statusNames.find((candidate) => candidate === text);
  if (!status) throw invalid("status", statusNames.join(", "));
  const conversation = number.conversationOf(id);
  const message: StoredMessage | undefined = conversation?.messages.get(id);
  if (!conversation || message?.direction !== "out") throw missing("message of the business", id);
  const code = body.integer("error_code") ?? 131000;
  const details = body.text("details");
  const failure = { code, ...(details !== undefined && { details }) };
  const { person } = conversation;
  const out = { number, person, phone: undefined, message };
  return { callbacks: tellStatus(world, out, status, status === "failed" ? failure : undefined) };
}
