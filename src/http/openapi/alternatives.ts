import type { OpenApiDocument } from "./document.ts";
import type { JsonSchema } from "./json-schema.ts";

/**
 * The same document with conditions of schemas as alternatives, which generators of clients understand: a field whose value decides
 * which others are required becomes `oneOf` with a discriminator, "one of these fields" becomes `anyOf`. Pure.
 */
export function withAlternatives(document: OpenApiDocument): OpenApiDocument {
  return { ...document, paths: changed(document.paths) as OpenApiDocument["paths"] };
}

/** If one field has this value, others are required, described further, or not allowed. */
interface Condition {
  readonly field: string;
  readonly value: unknown;
  readonly effect: JsonSchema;
}

function changed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(changed);
  if (typeof value !== "object" || value === null) return value;
  const inside: JsonSchema = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === "enum" || key === "examples" ? each : changed(each),
    ]),
  );
  return byValue(byPresence(inside));
}

/** `if: {not: {anyOf: A}}, then: B` is `anyOf: [B, ...A]`. */
function byPresence(schema: JsonSchema): JsonSchema {
  const {
    if: condition,
    then,
    ...rest
  } = schema as JsonSchema & { readonly if?: Negation; readonly then?: JsonSchema };
  const others = condition?.not?.anyOf;
  if (others === undefined || then === undefined) return schema;
  const alternatives = [then, ...others].map(({ required = [] }) => ({
    type: "object",
    properties: Object.fromEntries(required.map((name) => [name, rest.properties?.[name] ?? {}])),
    required,
  }));
  return { ...rest, anyOf: alternatives };
}

interface Negation {
  readonly not?: { readonly anyOf?: readonly JsonSchema[] };
}

function byValue(schema: JsonSchema): JsonSchema {
  const { allOf, ...base } = schema;
  const conditions = allOf?.map(conditionOf) ?? [];
  const field = conditions[0]?.field;
  if (field === undefined || conditions.some((each) => each?.field !== field)) return schema;
  const { title, description, properties = {}, ...object } = base;
  const values = properties[field]?.enum ?? [];
  const oneOf = values.map((value) => {
    const own = conditions.find((each) => each?.value === value)?.effect ?? {};
    return alternative({ object, properties }, { field, value, effect: own });
  });
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    oneOf,
    discriminator: { propertyName: field },
  };
}

function conditionOf(schema: JsonSchema): Condition | undefined {
  const { if: condition, then } = schema as { readonly if?: JsonSchema; readonly then?: JsonSchema };
  const [[field, { const: value }] = ["", {} as JsonSchema]] = Object.entries(condition?.properties ?? {});
  return then === undefined || value === undefined ? undefined : { field, value, effect: then };
}

/** The object as it is if the field has this value. */
function alternative(
  { object, properties }: { readonly object: JsonSchema; readonly properties: Properties },
  { field, value, effect }: Condition,
): JsonSchema {
  const own = effect.properties ?? {};
  const allowed = Object.entries(properties).filter(([name]) => (own[name] as unknown) !== false);
  const { enum: _all, ...named } = properties[field] ?? {};
  return {
    ...(effect.title === undefined ? {} : { title: effect.title }),
    ...object,
    properties: Object.fromEntries(
      allowed.map(([name, shape]) => [
        name,
        name === field ? { ...named, const: value } : narrowed(shape, own[name]),
      ]),
    ),
    required: [...new Set([...(object.required ?? []), ...(effect.required ?? [])])],
  };
}

type Properties = Readonly<Record<string, JsonSchema>>;

/** A condition may limit a field, or describe it as alternatives of its own. */
function narrowed(shape: JsonSchema, own: JsonSchema = {}): JsonSchema {
  const { description } = shape;
  if (own.anyOf === undefined && own.title === undefined) return { ...shape, ...own };
  return { ...(description === undefined ? {} : { description }), ...own };
}
