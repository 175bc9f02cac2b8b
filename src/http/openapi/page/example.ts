import { CONNECTABLE_TRANSPORTS } from "../../../core/transport/definition.ts";
import type { JsonSchema } from "../json-schema.ts";

/** Example values by field name. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  channel_id: "6f1d9a52-3c0b-4a7e-9d61-0f6c2b8e4a10",
  channelId: "6f1d9a52-3c0b-4a7e-9d61-0f6c2b8e4a10",
  chat_id: "79990001122",
  chatId: "79990001122",
  text: "Good morning",
  name: "Ann",
  url: "https://example.com/hook",
  uri: "https://crm.example.com/contacts/17",
  webhooksUri: "https://example.com/webhooks",
  messagesAndStatuses: true,
  start_at: "2026-01-01T00:00:00Z",
  end_at: "2026-02-01T00:00:00Z",
  timestamp: 1893553445,
  transport: CONNECTABLE_TRANSPORTS[0],
  language: "en_US",
  lang: "en",
  currency: "EUR",
  country: "DE",
};
/** Optional fields that examples contain nevertheless: without any they would not be informative. */
const SHOWN = new Set([
  "text",
  "chat_id",
  "chatId",
  "webhooksUri",
  "subscriptions",
  "messagesAndStatuses",
  "client_credentials_data",
]);
const UUID = "0b7e6f0e-8f6f-4c52-8d0e-3f1a5b9d2c77";
const BY_FORMAT: Readonly<Record<string, string>> = {
  "date-time": "2030-01-02T03:04:05.678Z",
  uuid: UUID,
  uri: "https://example.com/",
};
/** Tried in this order where a text must match a pattern. */
const TEXTS = ["…", "12345678", "123456789:abcdefgh", "abcdefghijklmnopqrstuvwx"];
const MAX_DEPTH = 6;

/** An example value that the schema allows: required fields, and a few others. */
export function exampleOf(schema: JsonSchema, name = "", depth = 0): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf?.[0] !== undefined) return exampleOf(schema.anyOf[0], name, depth);
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  if (type === "object") return objectExample(schema, depth);
  if (schema.maxItems === 0) return [];
  if (type === "array") return depth > MAX_DEPTH ? [] : [exampleOf(schema.items ?? {}, name, depth + 1)];
  if (schema.enum !== undefined) return schema.enum.includes(BY_NAME[name]) ? BY_NAME[name] : schema.enum[0];
  return fits(BY_NAME[name], type, schema) ? BY_NAME[name] : plainExample(type, schema, name);
}

function fits(value: unknown, type: string | undefined, { pattern, format }: JsonSchema): boolean {
  if (typeof value !== (type === "integer" ? "number" : type)) return false;
  if (format !== undefined && BY_FORMAT[format] !== undefined && format !== "uuid" && format !== "uri")
    return false;
  return pattern === undefined || new RegExp(pattern).test(String(value));
}

function objectExample({ properties = {}, required = [] }: JsonSchema, depth: number): unknown {
  if (depth > MAX_DEPTH) return {};
  const shown = Object.entries(properties).filter(([name]) => required.includes(name) || SHOWN.has(name));
  return Object.fromEntries(
    (shown.length > 0 ? shown : Object.entries(properties).slice(0, 1)).map(([name, schema]) => [
      name,
      exampleOf(schema, name, depth + 1),
    ]),
  );
}

function plainExample(
  type: string | undefined,
  { pattern = "", minimum = 0, format = "" }: JsonSchema,
  name: string,
): unknown {
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return minimum;
  if (type === "null") return null;
  if (format in BY_FORMAT) return BY_FORMAT[format];
  if (pattern.includes("[0-9a-fA-F]{8}-") || /(^|_)id$|Id$/.test(name)) return UUID;
  if (pattern.startsWith("^[0-9]")) return "1";
  if (pattern.startsWith("^[a-z0-9_]")) return "order_ready";
  if (/(At|_at|Time)$/.test(name)) return "2030-01-02T03:04:05.678Z";
  if (type !== "string") return {};
  return TEXTS.find((text) => new RegExp(pattern).test(text)) ?? "…";
}
