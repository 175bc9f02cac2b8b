import { type TSchema, Type } from "typebox";
import type { Core } from "../../core/core.ts";

/** The schema of a v2 response with `data`. */
export function envelope<T extends TSchema>(data: T) {
  return Type.Object({ data, meta: Type.Object({ timestamp: Type.Integer() }) });
}

/** Wraps a result; `timestamp` is in Unix seconds. */
export function enveloped<T>({ clock }: Core, data: T): { data: T; meta: { timestamp: number } } {
  return { data, meta: { timestamp: Math.floor(clock.now().getTime() / 1000) } };
}

/** The schema of a page of a list with `data`. */
export function pageEnvelope<T extends TSchema>(item: T) {
  return Type.Object({
    data: Type.Array(item),
    meta: Type.Object({
      timestamp: Type.Integer(),
      next: Type.Unsafe<string | null>({
        type: ["string", "null"],
        description:
          "Cursor of the next page: `after` of the next request if this one has `after` alone, otherwise `before`; null: this is the last page",
      }),
    }),
  });
}

/** Wraps a page of a list. */
export function pageEnveloped<T>(
  { clock }: Core,
  { items, next }: { readonly items: readonly T[]; readonly next: string | null },
) {
  return { data: [...items], meta: { timestamp: Math.floor(clock.now().getTime() / 1000), next } };
}
