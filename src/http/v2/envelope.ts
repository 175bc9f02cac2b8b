import { type TSchema, Type } from "typebox";
import type { Core } from "../../core/core.ts";

const meta = Type.Object({ timestamp: Type.Integer() }, { title: "Meta" });

/** The schema of a v2 response with `data`. */
export function envelope<T extends TSchema>(data: T) {
  const name = responseName(data);
  return Type.Object({ data, meta }, name === undefined ? {} : { title: name });
}

/** The name of a response follows from what is in it. Other responses are named after their operation. */
function responseName({ title, items, type }: Described): string | undefined {
  if (type === "null") return "DoneResponse";
  if (title !== undefined) return `${title}Response`;
  return items?.title === undefined ? undefined : `${items.title}ListResponse`;
}

interface Described {
  readonly title?: string;
  readonly type?: string;
  readonly items?: { readonly title?: string };
}

/** Wraps a result; `timestamp` is in Unix seconds. */
export function enveloped<T>({ clock }: Core, data: T): { data: T; meta: { timestamp: number } } {
  return { data, meta: { timestamp: Math.floor(clock.now().getTime() / 1000) } };
}

/** The schema of a page of a list with `data`. */
export function pageEnvelope<T extends TSchema>(item: T) {
  return Type.Object({
    data: Type.Array(item),
    meta: Type.Object(
      {
        timestamp: Type.Integer(),
        next: Type.Unsafe<string | null>({
          type: ["string", "null"],
          description:
            "Cursor of the next page: `after` of the next request if this one has `after` alone, otherwise `before`; null: this is the last page",
        }),
      },
      { title: "PageMeta" },
    ),
  });
}

/** Wraps a page of a list. */
export function pageEnveloped<T>(
  { clock }: Core,
  { items, next }: { readonly items: readonly T[]; readonly next: string | null },
) {
  return { data: [...items], meta: { timestamp: Math.floor(clock.now().getTime() / 1000), next } };
}
