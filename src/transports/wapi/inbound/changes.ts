import type { Tier } from "../../../core/transport/definition.ts";
import type { LinkState, TransportEvent } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { isJson, itemsIn, type Json, numberIn, objectIn, objectsIn, textIn } from "../../kit/json.ts";
import { readItems, type UnreadItem } from "../inbound.ts";
import { digitsOf, toTier } from "../linking/account.ts";
import { reasonOf, statusOfEvent } from "../outbound/templates.ts";
import { readContacts } from "./contacts.ts";
import { readHistory } from "./history.ts";
import { blockAnnounced, ended, qualityOf, restrictionsIn } from "./restrictions.ts";
import { type UnknownPart, unknownIn } from "./unknown.ts";

/** The scope of a change: one number, by its id or its digits, or all numbers of a business. */
export type Concern = { readonly phoneId: string } | { readonly wabaId: string; readonly digits?: string };

/** One parsed change of a webhook call. */
export interface Change {
  readonly concern: Concern;
  readonly events: readonly TransportEvent[];
  /** What must be fetched, because the change contains only a part of the state. */
  readonly refresh?: "templates" | "health";
  /** The last part of the history was named. */
  readonly endsHistory?: true;
  /** Errors of the whole business or number, for the log. */
  readonly notes: readonly string[];
  /** The unreadable items, each as a change with that item alone. */
  readonly unread?: readonly UnreadChange[];
  /** The parts that the connector does not know, for `reportUnknown`. */
  readonly unknown?: readonly UnknownPart[];
}

export interface UnreadChange {
  /** `{field, value, entryId}`, the input of `readOne`. */
  readonly payload: Json;
  readonly reason: string;
}

/** Meta retries a call for seven days (page "Webhooks"), so an older call is a replay by someone else. */
const LONGEST_AGE_MS = 8 * 86_400_000;

/**
 * Maps a webhook call (`{"object", "entry": […]}`) to changes, in order. Meta's signatures do not expire, so the
 * states in an old call are refreshed instead of applied; events of messages may be late, because each takes effect
 * only once. Throws `Unreadable`. Pure.
 */
export function readCallback(body: unknown, now: Date = new Date()): Change[] {
  if (!isJson(body) || body["object"] !== "whatsapp_business_account") return [];
  return itemsIn(body, "entry").flatMap((entry) =>
    itemsIn(entry, "changes").flatMap((change) => {
      const { field, value } = isJson(change) ? change : {};
      const read = readOne({ field, value, entryId: textIn(entry, "id") });
      if (read === null) return [];
      return isStale(entry, now) ? withoutStates(read) : read;
    }),
  );
}

/** Maps one change in the format of `UnreadChange.payload`; null if its field is not handled. */
export function readOne(payload: Json): Change | null {
  const [value, entryId] = [objectIn(payload, "value"), textIn(payload, "entryId")];
  if (value === undefined) return entryId === undefined ? null : unreadable(payload, entryId);
  const read = readChange(textIn(payload, "field") ?? "", value, entryId);
  return read === null ? null : { events: [], notes: [], ...read };
}

function isStale(entry: unknown, now: Date): boolean {
  const seconds = numberIn(entry, "time");
  return seconds !== undefined && now.getTime() - dateFromUnix(seconds, now).getTime() > LONGEST_AGE_MS;
}

function withoutStates(change: Change): Change {
  if ("phoneId" in change.concern || change.events.length === 0) return change;
  const isTemplate = change.events.every(({ kind }) => kind === "template");
  return { ...change, events: [], refresh: isTemplate ? "templates" : "health" };
}

function unreadable(payload: Json, wabaId: string): Change {
  return {
    concern: { wabaId },
    events: [],
    notes: [],
    unread: [{ payload, reason: "the value is not an object" }],
  };
}

type Read = Pick<Change, "concern"> & Partial<Change>;

function readChange(field: string, value: Json, entryId: string | undefined): Read | null {
  switch (field) {
    case "messages":
    case "smb_message_echoes":
    case "message_echoes":
    case "user_id_update":
    case "calls":
      return readMessages(field, value, entryId);
    case "smb_app_state_sync":
      return readContactChange(field, value, entryId);
    case "history":
      return readHistoryChange(value, entryId);
  }
  const wabaId = textIn(objectIn(value, "waba_info"), "waba_id") ?? entryId;
  if (wabaId === undefined) return null;
  const concern = { wabaId };
  switch (field) {
    case "message_template_status_update":
      return { concern, events: moderationOf(value), refresh: "templates" };
    case "template_category_update":
    case "message_template_components_update":
      return { concern, refresh: "templates" };
    case "phone_number_quality_update":
      return {
        concern: numberOf(wabaId, value),
        events: [...tierOf(value, "current_limit"), ...qualityOf(value)],
      };
    case "business_capability_update":
      return { concern, events: tierOf(value) };
    case "phone_number_name_update":
      return { concern: numberOf(wabaId, value), refresh: "health" };
    case "account_update":
      return { concern, ...accountUpdate(value, wabaId) };
    // The grade of a template, which has no counterpart in the interface.
    case "message_template_quality_update":
      return { concern };
    case "account_review_update":
      return textIn(value, "decision") === "REJECTED"
        ? { concern, events: [disabled("rejected")] }
        : { concern, refresh: "health" };
    default:
      return { concern: numberOf(wabaId, value), unknown: [{ kind: `changes.${field}`, sample: value }] };
  }
}

function readMessages(field: string, value: Json, entryId: string | undefined): Read | null {
  const concern = numberConcernedBy(value, entryId);
  if (concern === null) return null;
  const notes = objectsIn(value, "errors").map(
    (error) => `${textIn(error, "code") ?? ""} ${textIn(error, "message") ?? textIn(error, "title") ?? ""}`,
  );
  const { events, unread } = readItems(value);
  return { concern, events, notes, ...leftOver({ field, entryId }, unread, unknownIn(field, value)) };
}

function readContactChange(field: string, value: Json, entryId: string | undefined): Read | null {
  const concern = numberConcernedBy(value, entryId);
  if (concern === null) return null;
  const { events, unread, unknown } = readContacts(value);
  return { concern, events, ...leftOver({ field, entryId }, unread, unknown) };
}

function readHistoryChange(value: Json, entryId: string | undefined): Read | null {
  const concern = numberConcernedBy(value, entryId);
  if (concern === null) return null;
  const { events, isEnding, notes } = readHistory(value);
  return { concern, events, notes, ...(isEnding && { endsHistory: true as const }) };
}

/** The items that could not be parsed, and the parts that are not known. */
function leftOver(
  change: { readonly field: string; readonly entryId: string | undefined },
  unread: readonly UnreadItem[],
  unknown: readonly UnknownPart[],
): Pick<Change, "unread" | "unknown"> {
  const letters = unread.map(({ value, reason }) => ({ payload: { ...change, value }, reason }));
  return { ...(letters.length > 0 && { unread: letters }), ...(unknown.length > 0 && { unknown }) };
}

/** The number in the metadata of a change; without its id, it is found by its digits within the business. */
function numberConcernedBy(value: Json, entryId: string | undefined): Concern | null {
  const metadata = objectIn(value, "metadata");
  const phoneId = textIn(metadata, "phone_number_id");
  if (phoneId !== undefined) return { phoneId };
  return entryId === undefined ? null : numberOf(entryId, metadata ?? {});
}

function numberOf(wabaId: string, value: Json): Concern {
  const digits = digitsOf(textIn(value, "display_phone_number") ?? textIn(value, "phone_number"));
  return digits === "" ? { wabaId } : { wabaId, digits };
}

function moderationOf(value: Json): TransportEvent[] {
  const status = statusOfEvent(textIn(value, "event"));
  const externalId = textIn(value, "message_template_id");
  const name = textIn(value, "message_template_name");
  const language = textIn(value, "message_template_language");
  if (status === null || externalId === undefined || name === undefined || language === undefined) return [];
  const category = textIn(value, "message_template_category") ?? "";
  const reason = reasonOf(textIn(value, "reason")) ?? textIn(objectIn(value, "rejection_info"), "reason");
  const template = { externalId, name, language, category, status };
  return [{ kind: "template", template: reason === undefined ? template : { ...template, reason } }];
}

/** The limit has applied to the business since 2025; `own` is the older field for the number. */
function tierOf(value: Json, own = ""): TransportEvent[] {
  const known = ["max_daily_conversations_per_business", "max_daily_conversation_per_phone", own]
    .map((key) => toTier(value[key]))
    .find((tier): tier is Tier => tier !== null);
  return known === undefined ? [] : [{ kind: "tier", tier: known }];
}

function accountUpdate(value: Json, wabaId: string): Partial<Change> {
  const ban = textIn(objectIn(value, "ban_info"), "waba_ban_state");
  switch (textIn(value, "event")) {
    case "DISABLED_UPDATE":
      if (ban === "DISABLE") return { events: [disabled("blocked")] };
      if (ban === "REINSTATE") return { refresh: "health", events: [ended("block_announced")] };
      return {
        events:
          ban === "SCHEDULE_FOR_DISABLE"
            ? [blockAnnounced(textIn(objectIn(value, "ban_info"), "waba_ban_date"))]
            : [],
        notes: [`The business will be blocked: ${ban}`],
      };
    case "PARTNER_REMOVED":
    case "PARTNER_APP_UNINSTALLED":
    case "ACCOUNT_DELETED":
      return { events: [disabled("unauthorized")] };
    case "ACCOUNT_RESTRICTION":
    case "ACCOUNT_VIOLATION":
      return {
        refresh: "health",
        events: restrictionsIn(value),
        notes: [`Meta restricts the business: ${JSON.stringify(value)}`],
      };
    case "PARTNER_ADDED":
    case "PARTNER_APP_INSTALLED":
    case "VERIFIED_ACCOUNT":
      return { refresh: "health" };
    // A number that is also in the WhatsApp Business app left the Cloud API, or came back.
    case "ACCOUNT_OFFBOARDED":
      return { concern: numberOf(wabaId, value), events: [disabled("unauthorized")] };
    case "ACCOUNT_RECONNECTED":
      return { concern: numberOf(wabaId, value), refresh: "health" };
    default: {
      const event = textIn(value, "event") ?? "";
      return BESIDE_CHANNELS.has(event)
        ? {}
        : { unknown: [{ kind: `account_update.${event}`, sample: value }] };
    }
  }
}

/** Updates of an account that do not change what a channel can do. */
const BESIDE_CHANNELS: ReadonlySet<string> = new Set([
  "AD_ACCOUNT_LINKED",
  "AUTH_INTL_PRICE_ELIGIBILITY_UPDATE",
  "BUSINESS_PRIMARY_LOCATION_COUNTRY_UPDATE",
  "MM_LITE_TERMS_SIGNED",
  "PARTNER_CLIENT_CERTIFICATION_STATUS_UPDATE",
  "VOLUME_BASED_PRICING_TIER_UPDATE",
]);

function disabled(reason: Extract<LinkState, { status: "disabled" }>["reason"]): TransportEvent {
  return { kind: "link", state: { status: "disabled", reason } };
}
