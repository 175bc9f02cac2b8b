import { badParam } from "./graph-error.ts";
import type { Param } from "./param.ts";

const defaultLimit = 25;
const maxLimit = 1000;

/** A page of a list, with its cursors: https://developers.facebook.com/docs/graph-api/results */
export function page<T>(items: readonly T[], param: Param, url: string): Readonly<Record<string, unknown>> {
  const limit = param.has("limit") ? param.needNumber("limit") : defaultLimit;
  if (!Number.isInteger(limit) || limit < 1) throw badParam("Param limit must be an integer greater than 0.");
  const [start, end] = range(items.length, Math.min(limit, maxLimit), param);
  if (start >= end) return { data: [] };
  const cursors = { before: encode(start), after: encode(end - 1) };
  const link = (name: "after" | "before", cursor: string) => `${url}?limit=${limit}&${name}=${cursor}`;
  return {
    data: items.slice(start, end),
    paging: {
      cursors,
      ...(end < items.length && { next: link("after", cursors.after) }),
      ...(start > 0 && { previous: link("before", cursors.before) }),
    },
  };
}

function range(length: number, limit: number, param: Param): [start: number, end: number] {
  const after = param.text("after");
  const before = param.text("before");
  if (before !== undefined) {
    const end = Math.min(decode(before), length);
    return [Math.max(0, end - limit), end];
  }
  const start = after === undefined ? 0 : decode(after) + 1;
  return [start, Math.min(length, start + limit)];
}

function encode(index: number): string {
  return Buffer.from(`cursor:${index}`).toString("base64url");
}

function decode(cursor: string): number {
  const index = /^cursor:(\d+)$/.exec(Buffer.from(cursor, "base64url").toString())?.[1];
  if (index === undefined) throw badParam(`Invalid cursor "${cursor}"`);
  return Number(index);
}
