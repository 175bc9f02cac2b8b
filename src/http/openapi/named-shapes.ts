import type { OpenApiDocument } from "./document.ts";
import type { JsonSchema } from "./json-schema.ts";

/** The location of named shapes. */
export const SHAPES = "#/components/schemas/";

type Operations = Readonly<Record<string, object>>;

/**
 * The same document with each shape under one name in `components.schemas`, and references in its place. A shape's name
 * is its `title`, after the version that it belongs to; bodies without a title are named after their operation. Throws
 * if two shapes have one name, or if a body without a title occurs twice. Pure.
 */
export function withNamedShapes(document: OpenApiDocument): OpenApiDocument {
  const shapes = new Shapes(document.components.schemas);
  const paths = mapValues(document.paths, (operations, path) =>
    mapValues(operations as Operations, (operation) =>
      shapes.within(operation, { version: versionOf(path) }),
    ),
  );
  const webhooks = mapValues(document.webhooks, (webhook, kind) =>
    shapes.within(webhook, { version: kind.includes(".") ? "V2" : "V3", body: `${pascalCase(kind)}Event` }),
  );
  return {
    ...document,
    paths: paths as OpenApiDocument["paths"],
    webhooks: webhooks as OpenApiDocument["webhooks"],
    components: { ...document.components, schemas: shapes.all() },
  };
}

function versionOf(path: string): string {
  return /^\/v[23]\//.exec(path)?.[0].slice(1, -1).toUpperCase() ?? "";
}

class Shapes {
  readonly #shapes: Map<string, JsonSchema>;
  /** Names of bodies without a title, by their content. */
  readonly #bodies = new Map<string, string>();

  constructor(shapes: Readonly<Record<string, JsonSchema>>) {
    this.#shapes = new Map(Object.entries(shapes));
  }

  all(): Record<string, JsonSchema> {
    const sorted = [...this.#shapes].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted);
  }

  /** The value with references to its named shapes. */
  within(value: unknown, around: Around): unknown {
    if (Array.isArray(value)) return value.map((each) => this.within(each, around));
    if (!isObject(value)) return value;
    const { operationId } = value as { operationId?: string };
    const inside = mapValues(value, (each, key) => {
      const place = PLACES[key];
      const isBody = operationId !== undefined && around.body === undefined && place !== undefined;
      if (VALUES.includes(key)) return each;
      return this.within(each, isBody ? { ...around, body: pascalCase(operationId) + place } : around);
    });
    const { oneOf, discriminator } = inside as JsonSchema;
    const whole =
      oneOf === undefined || discriminator === undefined ? inside : mapped(value as JsonSchema, inside);
    if (isShape(whole)) return this.#referred(whole, around);
    return isMediaType(whole) && around.body !== undefined ? this.#ofBody(whole, around.body) : whole;
  }

  #referred({ title, ...shape }: Shape, { version }: Around): JsonSchema {
    return this.#named(`${version}${title}`, shape);
  }

  #ofBody(content: { readonly schema: JsonSchema }, name: string): object {
    const { schema } = content;
    const isObjectShape = schema.type === "object" && schema.properties !== undefined;
    if (!isObjectShape && schema.oneOf === undefined) return content;
    const key = JSON.stringify(schema);
    const known = this.#bodies.get(key);
    if (known !== undefined) throw new Error(`${known} and ${name} are one shape: give it a title`);
    this.#bodies.set(key, name);
    return { ...content, schema: this.#named(name, schema) };
  }

  #named(name: string, shape: JsonSchema): JsonSchema {
    const known = this.#shapes.get(name) ?? shape;
    this.#shapes.set(name, known);
    const { description: common, ...rest } = known;
    const { description, ...own } = shape;
    if (JSON.stringify(own) !== JSON.stringify(rest))
      throw new Error(`Two shapes are named ${name}: ${JSON.stringify(own)} and ${JSON.stringify(rest)}`);
    const isOwn = description !== undefined && description !== common;
    return { $ref: `${SHAPES}${name}`, ...(isOwn ? { description } : {}) };
  }
}

interface Around {
  readonly version: string;
  /** The name of the body around, if it has no title. */
  readonly body?: string;
}

/** Keys with data instead of schemas. */
const VALUES: readonly string[] = ["const", "enum", "example", "examples"];
const PLACES: Readonly<Record<string, string>> = { requestBody: "Request", responses: "Response" };

/** With the reference for each value of the discriminator. */
function mapped(before: JsonSchema, { discriminator, ...after }: JsonSchema): JsonSchema {
  const { propertyName = "" } = discriminator ?? {};
  const references = (after.oneOf ?? []).map(({ $ref = "" }, index) => [
    String(before.oneOf?.[index]?.properties?.[propertyName]?.const),
    $ref,
  ]);
  // Only named alternatives can be decided by a value.
  if (references.some(([, reference]) => reference === "")) return after;
  return { ...after, discriminator: { propertyName, mapping: Object.fromEntries(references) } };
}

interface Shape extends JsonSchema {
  readonly title: string;
}

function isShape(value: Readonly<Record<string, unknown>>): value is Shape {
  return typeof value["title"] === "string" && (value["type"] === "object" || value["oneOf"] !== undefined);
}

function isMediaType(value: Readonly<Record<string, unknown>>): value is { readonly schema: JsonSchema } {
  return (
    isObject(value["schema"]) && Object.keys(value).every((key) => key === "schema" || key === "example")
  );
}

function mapValues<T>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
