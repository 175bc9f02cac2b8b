import { Type } from "typebox";
import type { StoredTemplate } from "../core/template/templates.ts";
import { patterned } from "./schema/shapes.ts";

const PAGE = 100;
const LONGEST_PAGE = 1_000;

/** `limit` 1 to 1,000, default 100; `offset` default 0. */
export const templatePageQuery = Type.Object({
  limit: Type.Optional(patterned("wholeNumber", { description: "1 to 1,000; default 100" })),
  offset: Type.Optional(patterned("wholeNumber", { description: "How many to skip; default 0" })),
});

export function templatePage({ limit = "", offset = "" }: { limit?: string; offset?: string }): {
  limit: number;
  offset: number;
} {
  const rows = limit === "" ? PAGE : Math.min(Math.max(Number(limit), 1), LONGEST_PAGE);
  return { limit: rows, offset: Number(offset) };
}

/** A template in a response, without its id, which v2 and v3 name differently. */
export const templateProperties = {
  name: Type.String(),
  title: Type.String(),
  category: Type.String(),
  language: Type.String(),
  status: Type.String({ description: "APPROVED, PENDING, REJECTED, PAUSED or DISABLED" }),
  reason: Type.Optional(Type.String({ description: "Reason of the rejection" })),
  // With all fields from the messenger.
  components: Type.Array(
    Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true }),
  ),
  channels: Type.Array(Type.String({ description: "Channels that can send it" })),
};

/** The values of these fields. */
export function templateFields(template: StoredTemplate) {
  const { name, category, language, status, reason, components, channelIds } = template;
  return {
    name,
    title: name,
    category,
    language,
    status,
    ...(reason === undefined ? {} : { reason }),
    components: [...components],
    channels: [...channelIds],
  };
}
