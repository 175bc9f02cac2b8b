import { toVcard as completedCard } from "../../kit/contact-card.ts";
import { type Json, objectIn, objectsIn, textIn } from "../../kit/json.ts";
import { joined } from "../../kit/words.ts";

/** A shared contact as a vCard 3.0 (RFC 2426), which Meta may also state itself. */
export function toVcard(contact: Json): string {
  const stated = textIn(contact, "vcard");
  if (stated !== undefined) return completed(stated, contact);
  const org = objectIn(contact, "org");
  const lines = [
    ...namesOf(objectIn(contact, "name"), textIn(objectsIn(contact, "phones")[0], "phone")),
    ...listed("ORG", [textIn(org, "company"), textIn(org, "department")]),
    ...given("TITLE", textIn(org, "title")),
    ...objectsIn(contact, "phones").flatMap((phone) => given(telOf(phone), textIn(phone, "phone"))),
    ...objectsIn(contact, "emails").flatMap((email) => given(typed("EMAIL", email), textIn(email, "email"))),
    ...objectsIn(contact, "addresses").flatMap(addressOf),
    ...objectsIn(contact, "urls").flatMap((url) => given(typed("URL", url), textIn(url, "url"))),
    ...given("BDAY", textIn(contact, "birthday")),
  ];
  return ["BEGIN:VCARD", "VERSION:3.0", ...lines.map((line) => line.join(":")), "END:VCARD"].join("\r\n");
}

/** The stated card, with the name and the numbers that it lacks. */
function completed(stated: string, contact: Json): string {
  const firstName = textIn(objectIn(contact, "name"), "formatted_name");
  const phones = objectsIn(contact, "phones").map((phone) => textIn(phone, "phone"));
  return [...phones, undefined].reduce<string>(
    (vcard, phone) => completedCard({ vcard, phone, firstName }),
    stated,
  );
}

type Line = readonly [string, string];

/** A contact without a name is named by its number. */
function namesOf(name: Json | undefined, number: string | undefined): Line[] {
  const part = (key: string): string | undefined => textIn(name, key);
  const around = [part("prefix"), part("suffix")];
  const family = [part("last_name"), part("first_name"), part("middle_name")];
  const parts = around.some((each) => each !== undefined) ? [...family, ...around] : family;
  const spoken = [around[0], family[1], family[2], family[0], around[1]];
  return [
    ["N", parts.map((each) => escaped(each ?? "")).join(";")],
    ["FN", escaped(part("formatted_name") ?? joined(spoken, " ") ?? number ?? "")],
  ];
}

/** `ADR`: post office box; extended address; street; city; region; postal code; country. */
function addressOf(address: Json): Line[] {
  const part = (key: string): string | undefined => textIn(address, key);
  const country = part("country") ?? part("country_code");
  const parts = [undefined, undefined, part("street"), part("city"), part("state"), part("zip"), country];
  return parts.every((each) => each === undefined)
    ? []
    : [[typed("ADR", address), parts.map((each) => escaped(each ?? "")).join(";")]];
}

function given(name: string, value: string | undefined): Line[] {
  return value === undefined ? [] : [[name, escaped(value)]];
}

/** Without the empty parts at the end. */
function listed(name: string, [first, second]: readonly (string | undefined)[]): Line[] {
  if (second === undefined) return given(name, first);
  return [[name, [first ?? "", second].map(escaped).join(";")]];
}

function typed(name: string, part: Json): string {
  const type = textIn(part, "type")?.replace(/[^\w-]/g, "");
  return [name, type && `type=${type.toUpperCase()}`].filter(Boolean).join(";");
}

/** `waid` is the phone's WhatsApp id. */
function telOf(phone: Json): string {
  const id = textIn(phone, "wa_id")?.replace(/\D/g, "");
  return [typed("TEL", phone), id && `waid=${id}`].filter(Boolean).join(";");
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");
}
