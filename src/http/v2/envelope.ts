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
