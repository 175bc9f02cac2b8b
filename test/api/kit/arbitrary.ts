import fc, { type Arbitrary } from "fast-check";
import type { JsonSchema } from "../../../src/http/openapi/json-schema.ts";

/** Values worth trying, by the names of fields in camel case, such as ids of what exists. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

/** Generates values that the schema allows for the field `name`. Optional fields are present, null or absent. */
export function valid(schema: JsonSchema, known: KnownValues, name = ""): Arbitrary<unknown> {
  const values = known[camelCase(name)];
  const plain = plainValue(schema, known, name);
  const fitting = values?.filter((value) => fits(schema, value)) ?? [];
  if (fitting.length === 0) return plain;
  return fc.oneof({ arbitrary: fc.constantFrom(...fitting), weight: 4 }, { arbitrary: plain, weight: 1 });
}

function fits({ type, enum: values }: JsonSchema, value: unknown): boolean {
  if (values !== undefined) return values.includes(value);
  return type === undefined || [type].flat().includes(typeof value);
}

function plainValue(schema: JsonSchema, known: KnownValues, name: string): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => valid(each, known, name)));
  if (schema.type === undefined) return fc.jsonValue({ maxDepth: 2 });
  const types = [schema.type].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, { known, name })));
}

function ofType(
  type: string,
  schema: JsonSchema,
  { known, name }: { readonly known: KnownValues; readonly name: string },
): Arbitrary<unknown> {
  const { minimum = -1_000, maximum = 1_000_000, minItems = 0, maxItems = 3 } = schema;
  switch (type) {
    case "string":
      return text(schema);
    case "integer":
      return fc.integer({ min: minimum, max: Math.max(minimum, maximum) });
    case "number":
      return fc.double({ min: minimum, max: Math.max(minimum, maximum), noNaN: true });
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valid(schema.items ?? {}, known, name), {
        minLength: minItems,
        maxLength: Math.min(maxItems, 3),
      });
    case "object":
      return object(schema, known);
    default:
      return fc.constant(null);
  }
}

function text({ pattern, minLength = 0, maxLength = 60 }: JsonSchema): Arbitrary<string> {
  const longest = Math.min(maxLength, 60);
  if (pattern !== undefined)
    return fc
      .stringMatching(new RegExp(pattern))
      .filter(({ length }) => length >= minLength && length <= maxLength);
  return fc
    .oneof(
      fc.string({ minLength, maxLength: longest }),
      fc.string({ unit: "binary", minLength, maxLength: longest }),
    )
    .map((value) => value.slice(0, maxLength));
}

function object({ properties = {}, required = [] }: JsonSchema, known: KnownValues): Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, field]) => {
    const value = valid(field, known, name);
    return [name, required.includes(name) ? value : fc.option(value, { nil: null, freq: 8 })] as const;
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
