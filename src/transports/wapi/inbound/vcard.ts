import { type Json, objectIn, objectsIn, textIn } from "../../kit/json.ts";

/** A shared contact as a vCard 3.0 (RFC 2426). */
export function toVcard(contact: Json): string {
  const name = objectIn(contact, "name");
  const org = objectIn(contact, "org");
  const family = [textIn(name, "last_name"), textIn(name, "first_name"), textIn(name, "middle_name")];
  const lines = [
    ["N", family.map((part) => escaped(part ?? "")).join(";")],
    ["FN", escaped(textIn(name, "formatted_name") ?? "")],
    ...given("ORG", textIn(org, "company")),
    ...given("TITLE", textIn(org, "title")),
    ...objectsIn(contact, "phones").flatMap((phone) => given(telOf(phone), textIn(phone, "phone"))),
    ...objectsIn(contact, "emails").flatMap((email) => given("EMAIL", textIn(email, "email"))),
    ...objectsIn(contact, "urls").flatMap((url) => given("URL", textIn(url, "url"))),
    ...given("BDAY", textIn(contact, "birthday")),
  ];
  return ["BEGIN:VCARD", "VERSION:3.0", ...lines.map((line) => line.join(":")), "END:VCARD"].join("\r\n");
}

function given(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, escaped(value)]];
}

/** `waid` is the phone's WhatsApp id. */
function telOf(phone: Json): string {
  const type = textIn(phone, "type")?.replace(/[^\w-]/g, "");
  const id = textIn(phone, "wa_id")?.replace(/\D/g, "");
  return ["TEL", type && `type=${type.toUpperCase()}`, id && `waid=${id}`].filter(Boolean).join(";");
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");
}
