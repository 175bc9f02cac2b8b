/** The part of JSON Schema 2020-12 that our routes use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
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

/** Converts a schema for Fastify (draft 7, plain data) to OpenAPI 3.1. */
export function openApiSchema(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    isObject(value) ? translated(key, value) : value,
  );
}

function translated(key: string, value: Record<string, unknown>): unknown {
  if (key === "properties") return value;
  const { dependencies, ...rest } = value;
  return {
    // TypeBox omits it if the values imply it.
    ...(isStringEnum(value) && value["type"] === undefined ? { type: "string" } : {}),
    ...rest,
    ...(isObject(dependencies) ? { dependentRequired: dependencies } : {}),
  };
}

function isStringEnum({ enum: values }: Record<string, unknown>): boolean {
  return Array.isArray(values) && values.every((each) => typeof each === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
