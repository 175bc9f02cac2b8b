import type { Tier } from "../../../core/transport/definition.ts";
import { CredentialsError, TransportError } from "../../../core/transport/errors.ts";
import type { ChannelProfile, LinkState } from "../../../core/transport/events.ts";
import { type Json, textIn } from "../../kit/json.ts";
import { GraphRefusal } from "../../meta/error.ts";
import type { Graph } from "../../meta/graph.ts";
import { listAll } from "../../meta/pages.ts";
import { channelFault, toTransportError } from "../errors.ts";
import { graphOf, type WapiAccess } from "./access.ts";

const PHONE_FIELDS = "id,display_phone_number,verified_name";
const LISTED_FIELDS = "id,display_phone_number,verified_name,status";
/**
 * The field's name depends on the Graph API version. A version refuses the whole request if it does not know a field.
 */
const TIER_FIELDS = ["messaging_limit_tier", "whatsapp_business_manager_messaging_limit"];

/** A phone number in the list of its business. */
export interface ListedNumber {
  readonly id: string;
  readonly digits: string;
  readonly name: string;
  /** `CONNECTED`, `PENDING`, `BANNED` … */
  readonly status: string;
}

/** All phone numbers of a business. */
export async function listNumbers(
  graph: Graph,
  wabaId: string,
  signal: AbortSignal,
): Promise<ListedNumber[]> {
  const items = await listAll(graph, `${wabaId}/phone_numbers`, { fields: LISTED_FIELDS, signal });
  return items.map(numberOf);
}

function numberOf(item: Json): ListedNumber {
  const digits = digitsOf(textIn(item, "display_phone_number"));
  return {
    id: textIn(item, "id") ?? "",
    digits,
    name: textIn(item, "verified_name") ?? digits,
    status: textIn(item, "status") ?? "",
  };
}

/** Whether Meta allows the number to send, its profile, and its limit of conversations. */
export interface Health {
  readonly state: Exclude<LinkState, { status: "lost" } | { status: "init" }>;
  readonly profile: ChannelProfile;
  readonly tier: Tier | null;
  /** `CONNECTED`, `FLAGGED`, `RESTRICTED` … */
  readonly numberStatus: string;
}

/** Throws `GraphRefusal` or `TransportError`. A number that the business does not have is a refusal with code 33. */
export async function fetchHealth(access: WapiAccess, signal: AbortSignal): Promise<Health> {
  const { phone_number_id: phoneId, waba_id: wabaId } = access.credentials;
  const graph = graphOf(access);
  const phone = await graph.call("GET", phoneId, { query: { fields: PHONE_FIELDS }, signal });
  const listed = (await listNumbers(graph, wabaId, signal)).find(({ id }) => id === phoneId);
  if (listed === undefined) throw new GraphRefusal(400, NOT_ITS_NUMBER);
  const fields = "id,name,account_review_status";
  const waba = await graph.call("GET", wabaId, { query: { fields }, signal });
  const profile = profileOf(phone, access);
  const fault = faultOf(listed.status, textIn(waba, "account_review_status"));
  return {
    profile,
    state: fault === null ? { status: "active", profile } : { status: "disabled", reason: fault },
    tier: await fetchTier(graph, phoneId, signal),
    numberStatus: listed.status,
  };
}

async function fetchTier(graph: Graph, phoneId: string, signal: AbortSignal): Promise<Tier | null> {
  for (const field of TIER_FIELDS) {
    const answer = await graph
      .call("GET", phoneId, { query: { fields: field }, signal })
      .catch(unlessRefused);
    if (answer !== null && field in answer) return toTier(answer[field]);
  }
  return null;
}

function unlessRefused(error: unknown): null {
  if (error instanceof GraphRefusal) return null;
  throw error;
}

const NOT_ITS_NUMBER = {
  code: 33,
  message: "The business account does not have this phone number",
  details: "",
};

function profileOf(phone: Json, { credentials }: WapiAccess): ChannelProfile {
  const digits = digitsOf(textIn(phone, "display_phone_number"));
  if (digits === "")
    throw new TransportError("UNKNOWN_ERROR", "WhatsApp returned an unreadable response", { retry: "later" });
  return {
    messengerId: credentials.phone_number_id,
    businessId: credentials.waba_id,
    name: textIn(phone, "verified_name") ?? digits,
    phone: digits,
    url: `https://wa.me/${digits}`,
  };
}

/** Other statuses, such as `FLAGGED` or `RESTRICTED`, limit a number but allow it to send. */
function faultOf(numberStatus: string, review: string | undefined): "blocked" | "rejected" | null {
  if (review === "REJECTED") return "rejected";
  return numberStatus === "BANNED" || review === "RESTRICTED" ? "blocked" : null;
}

const TIER_OF_NUMBER: Readonly<Record<string, Tier>> = {
  "50": "TIER_50",
  "250": "TIER_250",
  "1000": "TIER_1K",
  "2000": "TIER_2K",
  "10000": "TIER_10K",
  "100000": "TIER_100K",
  "-1": "TIER_UNLIMITED",
};
const TIER_NAMES: readonly string[] = [...Object.values(TIER_OF_NUMBER), "TIER_0"];

/** Meta writes a tier as a name or as a number of conversations. Null if it is not set or unknown. */
export function toTier(value: unknown): Tier | null {
  const text = String(value);
  return TIER_OF_NUMBER[text] ?? (TIER_NAMES.includes(text) ? (text as Tier) : null);
}

export function digitsOf(phone: string | undefined): string {
  return (phone ?? "").replace(/\D/g, "");
}

/**
 * Fetches the profile that the credentials belong to. Throws `CredentialsError` if Meta rejects them,
 * `TransportError` if the outcome is unknown.
 */
export async function verify(access: WapiAccess, signal: AbortSignal): Promise<ChannelProfile> {
  try {
    return (await fetchHealth(access, signal)).profile;
  } catch (error) {
    if (!(error instanceof GraphRefusal)) throw error;
    // Meta refuses unknown ids with code 100, "Unsupported get request".
    if (channelFault(error.error) !== null || error.error.code === 100)
      throw new CredentialsError("Meta rejected this token for this number and account");
    throw toTransportError(error);
  }
}
