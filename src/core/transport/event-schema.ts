import { type TProperties, type TSchema, Type } from "typebox";
import { EVENTS } from "./events.ts";

/** The parts of JSON Schema that `message.ts` and `events.ts` use, and `type: "date"`. */
export interface Schema extends TSchema {
  readonly type?: string;
  readonly const?: string | boolean;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** By kind of event. */
export const EVENT_SCHEMAS: ReadonlyMap<string, Schema> = new Map(
  Object.entries<TProperties>(EVENTS).map(([kind, fields]) => [kind, Type.Object(fields) as Schema]),
);

/** A union is either of one schema and null (`nullable`), or of objects that differ by a constant field (`key`). */
export function partsOfUnion(variants: readonly Schema[]): {
  readonly nullable: Schema | undefined;
  readonly key: string;
  readonly kinds: ReadonlyMap<unknown, Schema>;
} {
  const [first = {}] = variants.filter(({ type }) => type !== "null");
  if (variants.some(({ type }) => type === "null")) return { nullable: first, key: "", kinds: new Map() };
  const fields = Object.entries(first.properties ?? {});
  const key = fields.find(([, field]) => field.const !== undefined)?.[0];
  if (key === undefined) throw new Error("The objects of a union need a constant field");
  const kinds = new Map(variants.map((each) => [each.properties?.[key]?.const, each] as const));
  return { nullable: undefined, key, kinds };
}

/** The constant field of a value of a union; "" if there is none. */
export function kindOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : "";
}
