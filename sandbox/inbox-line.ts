import { isRecord } from "./http/fields.ts";
import type { InboxItem } from "./inbox.ts";

/**
 * Prints a webhook in a line per event, for a person at the terminal: `← webhook messages: inbound text "Hello" from
 * Ann (chat 111)`.
 */
export function inboxLines(item: InboxItem): string[] {
  const refused = item.status < 300 ? "" : ` (answered ${item.status})`;
  return describeBody(item.body).map((line) => `← webhook ${shown(line)}${refused}`);
}

/** Names are user input; a terminal must not interpret them. */
function shown(line: string): string {
  return line.replace(/\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, "\ufffd");
}

function describeBody(body: unknown): string[] {
  if (!isRecord(body)) return [`of ${typeof body === "string" ? body.length : 0} characters`];
  if (body["test"] === true) return ["test"];
  const { event, data } = body;
  if (typeof event === "string" && Array.isArray(data))
    return data.map((entry) => `${event}: ${describeEntry(event, entry)}`);
  const lines = Object.entries(body).flatMap(([kind, value]) =>
    Array.isArray(value) ? value.map((entry) => `${kind}: ${describeEntry(kind, entry)}`) : [],
  );
  return lines.length > 0 ? lines : [`with ${Object.keys(body).join(", ") || "an empty object"}`];
}

function describeEntry(kind: string, entry: unknown): string {
  if (!isRecord(entry)) return String(entry);
  if (kind === "statuses") return `${text(entry["messageId"])} ${describeStatus(entry)}`;
  if (kind === "messages") return describeMessage(entry);
  const id = entry["channelId"] ?? entry["channel_id"] ?? entry["id"] ?? entry["chatId"];
  return [text(id), text(entry["state"] ?? entry["status"])].filter((part) => part !== "").join(" ");
}

function describeStatus(entry: Readonly<Record<string, unknown>>): string {
  const error = entry["error"];
  const code = isRecord(error) ? text(error["error"] ?? error["code"]) : "";
  return code === "" ? text(entry["status"]) : `${text(entry["status"])} ${code}`;
}

function describeMessage(entry: Readonly<Record<string, unknown>>): string {
  const direction = entry["isEcho"] === true ? "echo" : "inbound";
  const edited = entry["isEdited"] === true ? "edited " : "";
  const deleted = entry["isDeleted"] === true ? "deleted " : "";
  const content = typeof entry["text"] === "string" ? ` ${JSON.stringify(entry["text"])}` : "";
  const contact = isRecord(entry["contact"]) ? entry["contact"] : {};
  const name = text(contact["name"] ?? entry["authorName"]);
  const who = name === "" ? "" : ` ${direction === "echo" ? "to" : "from"} ${name}`;
  return `${direction} ${edited}${deleted}${text(entry["type"])}${content}${who} (chat ${text(entry["chatId"])})`;
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
