import { Type } from "typebox";
import { patterned } from "./shapes.ts";

const PAGE = 100;
const LONGEST_PAGE = 1_000;

/** `limit` 1 to 1,000, default 100; `offset` default 0. */
export const templatePageQuery = Type.Object({
  limit: Type.Optional(patterned("wholeNumber", { description: "1 to 1,000; default 100" })),
  offset: Type.Optional(patterned("wholeNumber", { description: "How many to leave out; default 0" })),
});

export function templatePage({ limit = "", offset = "" }: { limit?: string; offset?: string }): {
  limit: number;
  offset: number;
} {
  const rows = limit === "" ? PAGE : Math.min(Math.max(Number(limit), 1), LONGEST_PAGE);
  return { limit: rows, offset: Number(offset) };
}

/** A part of a template in an answer, with all that the messenger says of it. */
export const templateComponent = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
});
