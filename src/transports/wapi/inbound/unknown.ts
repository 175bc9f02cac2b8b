import { isJson, type Json, objectIn, objectsIn, textIn } from "../../kit/json.ts";
import { CONTENT_TYPES, readContent } from "./body.ts";

/** A part of a call that the connector does not know. */
export interface UnknownPart {
  readonly kind: string;
  readonly sample: Json;
}

/** The lists of items in a change. */
export const LISTS: readonly string[] = ["messages", "message_echoes", "statuses", "user_id_update", "calls"];

/** Per change; a hostile one may have thousands. */
export const MAX_UNKNOWN = 3;

/** What is in a change of messages beside its items. */
const BESIDE_ITEMS: readonly string[] = ["messaging_product", "metadata", "contacts", "errors"];

const MESSAGE_TYPES: ReadonlySet<string> = new Set([...CONTENT_TYPES, "system", "edit", "revoke"]);
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  ...MESSAGE_TYPES,
  "from",
  "from_user_id",
  "from_parent_user_id",
  "to",
  "to_user_id",
  "to_parent_user_id",
  "id",
  "timestamp",
  "type",
  "context",
  "referral",
  "errors",
  "origin",
  // The person's security code, with the system message that it has changed.
  "identity",
]);
const ANSWER_TYPES: ReadonlySet<string> = new Set([
  "button_reply",
  "list_reply",
  "nfm_reply",
  "call_permission_reply",
]);
/** Of system messages. */
export const NUMBER_CHANGES: ReadonlySet<string> = new Set([
  "user_changed_number",
  "customer_changed_number",
]);
const SYSTEM_TYPES: ReadonlySet<string> = new Set([
  ...NUMBER_CHANGES,
  "user_changed_user_id",
  "customer_identity_changed",
  "user_identity_changed",
]);
/** Types of which a message without words or a file would be new. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(["text", "contacts", "button"]);
/** Those of calls have names of their own. */
const STATUSES: ReadonlySet<string> = new Set([
  ...["sent", "delivered", "read", "failed", "played", "deleted", "warning"],
  ...["RINGING", "ACCEPTED", "REJECTED"],
]);

/**
 * The parts of a change of messages that the connector does not know: lists of items, types and fields of messages,
 * statuses, and messages of groups, which it does not support. Pure.
 */
export function unknownIn(field: string, value: Json): readonly UnknownPart[] {
  const found: UnknownPart[] = [];
  const add = (kind: string, sample: Json): void => void found.push({ kind: `${field}.${kind}`, sample });
  for (const key of Object.keys(value))
    if (!BESIDE_ITEMS.includes(key) && !LISTS.includes(key)) add(key, { [key]: value[key] });
  for (const list of ["messages", "message_echoes"])
    for (const message of objectsIn(value, list)) {
      if (found.length >= MAX_UNKNOWN) break;
      for (const kind of kindsIn(message)) add(kind, message);
    }
  const status = objectsIn(value, "statuses").find((each) => !STATUSES.has(textIn(each, "status") ?? ""));
  if (status !== undefined) add(`status.${textIn(status, "status") ?? ""}`, status);
  return found.slice(0, MAX_UNKNOWN);
}

function kindsIn(message: Json): string[] {
  if (textIn(message, "group_id") !== undefined) return ["group"];
  const type = textIn(message, "type") ?? "";
  const kinds = [
    ...(MESSAGE_TYPES.has(type) ? [] : [`type.${type}`]),
    ...unknownType("interactive", objectIn(message, "interactive"), ANSWER_TYPES),
    ...unknownType("system", objectIn(message, "system"), SYSTEM_TYPES),
  ];
  if (MAY_BE_EMPTY.has(type) && readContent(message) === null) kinds.push("empty");
  const field = Object.keys(message).find((key) => !MESSAGE_FIELDS.has(key) && key !== type);
  if (field !== undefined) kinds.push(`field.${field}`);
  const edited = objectIn(objectIn(message, "edit"), "message");
  return isJson(edited) ? [...kinds, ...kindsIn(edited).map((kind) => `edit.${kind}`)] : kinds;
}

function unknownType(of: string, part: Json | undefined, known: ReadonlySet<string>): string[] {
  const type = textIn(part, "type") ?? "";
  return part === undefined || known.has(type) ? [] : [`${of}.${type}`];
}
