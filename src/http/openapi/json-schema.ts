import { UUID_PATTERN } from "../schema/shapes.ts";

/** The part of JSON Schema 2020-12 that our routes use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  /** `oneOf` is decided by the value of this field. `mapping` has a reference for each. */
  readonly discriminator?: Discriminator;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
  readonly [more: string]: unknown;
}

export interface Discriminator {
  readonly propertyName: string;
  readonly mapping?: Readonly<Record<string, string>>;
}

/** Converts a schema for Fastify (draft 7, plain data) to OpenAPI 3.1. */
export function openApiSchema(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    isObject(value) ? translated(key, value) : value,
  );
}

function translated(key: string, value: Record<string, unknown>): unknown {
  if (key === "properties") return value;
  const { dependencies, sensitive, ...rest } = value;
  return {
    // TypeBox omits it if the values imply it.
    ...(isStringEnum(value) && value["type"] === undefined ? { type: "string" } : {}),
    ...rest,
    ...(value["pattern"] === UUID_PATTERN ? { format: "uuid" } : {}),
    ...(sensitive === true ? { format: "password" } : {}),
    ...(isObject(dependencies) ? { dependentRequired: dependencies } : {}),
  };
}

function isStringEnum({ enum: values }: Record<string, unknown>): boolean {
  return Array.isArray(values) && values.every((each) => typeof each === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
