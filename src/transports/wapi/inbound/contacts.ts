import {
  CONTACT_NAMES_BATCH,
  type ContactName,
  type TransportEvent,
} from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { messageOf } from "../../../platform/message-of.ts";
import { isJson, itemsIn, type Json, objectIn, required, textIn } from "../../kit/json.ts";
import type { ReadItems, UnreadItem } from "../inbound.ts";
import { digitsOf } from "../linking/account.ts";
import { MAX_UNKNOWN, type UnknownPart } from "./unknown.ts";

const LIST = "state_sync";

export interface ReadContacts extends ReadItems {
  readonly unknown: readonly UnknownPart[];
}

/**
 * Maps a change of the field `smb_app_state_sync`: contacts that the owner has in the WhatsApp Business app, each added
 * (also: edited) or removed (page "smb_app_state_sync webhook reference"). Pure; never throws.
 */
export function readContacts(value: Json): ReadContacts {
  const names: ContactName[] = [];
  const unread: UnreadItem[] = [];
  const unknown: UnknownPart[] = [];
  const { [LIST]: list, ...others } = value;
  const fault = (items: unknown, error: unknown): void =>
    void unread.push({ value: { ...others, [LIST]: items }, reason: messageOf(error) });
  try {
    for (const item of itemsIn(value, LIST)) {
      try {
        const entry = required(isJson(item) ? item : undefined, `object in ${LIST}`);
        const kind = unknownKind(entry);
        if (kind === null) names.push(nameIn(entry));
        else if (unknown.length < MAX_UNKNOWN)
          unknown.push({ kind: `smb_app_state_sync.${kind}`, sample: entry });
      } catch (error) {
        fault([item], error);
      }
    }
  } catch (error) {
    fault(list, error);
  }
  return { events: inBatches(names), unread, unknown };
}

function unknownKind(entry: Json): string | null {
  const [type = "", action = ""] = [textIn(entry, "type"), textIn(entry, "action")];
  if (type !== "contact") return `type.${type}`;
  return action === "add" || action === "remove" ? null : `action.${action}`;
}

/** The contact's name and phone number; a contact without a name is one that names nobody. */
function nameIn(entry: Json): ContactName {
  const contact = required(objectIn(entry, "contact"), "contact");
  const chatId = required(
    digitsOf(textIn(contact, "phone_number")) || undefined,
    "phone number of the contact",
  );
  const seconds = required(textIn(objectIn(entry, "metadata"), "timestamp"), "timestamp of the contact");
  const given = [textIn(contact, "full_name"), textIn(contact, "first_name")].map(
    (name) => name?.trim() ?? "",
  );
  const name = textIn(entry, "action") === "add" ? given.find((each) => each !== "") : undefined;
  return { chatType: "whatsapp", chatId, name: name ?? null, at: dateFromUnix(seconds) };
}

function inBatches(names: readonly ContactName[]): TransportEvent[] {
  return Array.from({ length: Math.ceil(names.length / CONTACT_NAMES_BATCH) }, (_, n) => ({
    kind: "contactNames" as const,
    names: names.slice(n * CONTACT_NAMES_BATCH, (n + 1) * CONTACT_NAMES_BATCH),
  }));
}
