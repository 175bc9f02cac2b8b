import type { OpenApiDocument } from "../src/http/openapi/document.ts";
import type { JsonSchema } from "../src/http/openapi/json-schema.ts";
import type { Operation, Parameter } from "../src/http/openapi/operation.ts";
import { isPage } from "../src/http/openapi/page/request.ts";

/** An operation of the interface as clients have it. Pages for a browser are none. */
export interface ListedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** All operations, in the order of the description. Pure. */
export function operationsOf({ paths }: OpenApiDocument): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !isPage(operation))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** `accessToken`, `apiKey`, `partner` or `none`. */
export function credentialOf({ security }: Operation): string {
  return security.flatMap((each) => Object.keys(each))[0] ?? "none";
}

export function parametersIn(place: Parameter["in"], { parameters = [] }: Operation): Parameter[] {
  return parameters.filter((parameter) => parameter.in === place);
}

export function bodyOf({ requestBody }: Operation): JsonSchema | undefined {
  return requestBody?.content["application/json"]?.schema;
}

/** What a successful response contains: a schema of JSON, or `text`. */
export function outputOf({ responses }: Operation): JsonSchema | "text" {
  const contents = Object.entries(responses)
    .filter(([status]) => status < "400")
    .flatMap(([, answer]) => ("content" in answer ? Object.entries(answer.content ?? {}) : []));
  const json = contents.find(([type]) => type === "application/json");
  return json === undefined ? "text" : json[1].schema;
}

/** The name of a schema that is a reference. */
export function nameOf({ $ref = "" }: JsonSchema): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

/** Fields of an object with their names; `isRequired` as the schema says. */
export function fieldsOf({ properties = {}, required = [] }: JsonSchema) {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
  }));
}

/** The types of a schema without `null`, and whether it allows `null`. */
export function typesOf({ type }: JsonSchema): {
  readonly types: readonly string[];
  readonly isNullable: boolean;
} {
  const all = type === undefined ? [] : [type].flat();
  return { types: all.filter((each) => each !== "null"), isNullable: all.includes("null") };
}

/** The alternatives of a schema that has nothing else. */
export function alternativesOf(schema: JsonSchema): readonly JsonSchema[] | undefined {
  return schema.properties === undefined ? (schema.oneOf ?? schema.anyOf) : undefined;
}

/** `sendV3Message` → `["send", "V3", "Message"]`, `chat_id` → `["chat", "id"]`. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
}

export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A line for the head of generated files. */
export const GENERATED = "Made from docs/openapi.json by `npm run docs`; what is changed here is lost.";
