import type { Answer, Content, Reference } from "../../src/http/openapi/answer.ts";
import type { OpenApiDocument } from "../../src/http/openapi/document.ts";
import type { JsonSchema } from "../../src/http/openapi/json-schema.ts";
import type { Operation } from "../../src/http/openapi/operation.ts";

/**
 * What of the interface a client may stumble over: routes, fields, answers and values that are gone, what is required
 * now, and what has another type or a tighter limit. One line for each; empty when every client goes on working.
 */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  return Object.entries(before.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const where = `${method.toUpperCase()} ${path}`;
      const now = after.paths[path]?.[method];
      return now === undefined ? [`${where}: the route is gone`] : ofOperation(where, operation, now);
    }),
  );
}

function ofOperation(where: string, before: Operation, after: Operation): string[] {
  return [
    ...(before.security.every((known) => after.security.some((now) => same(known, now)))
      ? []
      : [`${where}: another credential is needed`]),
    ...ofParameters(where, before, after),
    ...ofRequest(
      `${where}: body`,
      schemaOf(before.requestBody?.content),
      schemaOf(after.requestBody?.content),
    ),
    ...Object.keys(before.responses)
      .filter((status) => status < "400")
      .flatMap((status) => ofAnswer(`${where}: ${status}`, before, { after, status })),
  ];
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function ofParameters(
  where: string,
  { parameters: before = [] }: Operation,
  { parameters: after = [] }: Operation,
) {
  const known = new Map(before.map((each) => [`${each.in} ${each.name}`, each]));
  const now = new Map(after.map((each) => [`${each.in} ${each.name}`, each]));
  return [
    ...[...known].flatMap(([key, { schema }]) => {
      const parameter = now.get(key);
      if (parameter === undefined) return [`${where}: ${key} is gone`];
      return ofRequest(`${where}: ${key}`, schema, parameter.schema);
    }),
    ...[...now]
      .filter(([key, { required }]) => required && known.get(key)?.required !== true)
      .map(([key]) => `${where}: ${key} is required now`),
  ];
}

function ofAnswer(
  where: string,
  before: Operation,
  { after, status }: { readonly after: Operation; readonly status: string },
): string[] {
  const now = after.responses[status];
  if (now === undefined) return [`${where} is not answered any more`];
  const [content, nowContent] = [contentOf(before.responses[status]), contentOf(now)];
  const types = Object.keys(content).filter((type) => nowContent[type] === undefined);
  return [
    ...types.map((type) => `${where} is no ${type} any more`),
    ...ofResponse(where, schemaOf(content), schemaOf(nowContent)),
  ];
}

/** Only errors are described elsewhere. */
function contentOf(answer: Answer | Reference | undefined): Content {
  return answer !== undefined && "content" in answer ? (answer.content ?? {}) : {};
}

function schemaOf(content: Content | undefined): JsonSchema {
  return Object.values(content ?? {})[0]?.schema ?? {};
}

/** What clients send must go on being taken. */
function ofRequest(where: string, before: JsonSchema, after: JsonSchema): string[] {
  const required = (after.required ?? []).filter((name) => !before.required?.includes(name));
  return [
    ...required.map((name) => `${where}.${name} is required now`),
    ...missing(typesOf(before), typesOf(after)).map((type) => `${where} takes no ${type} any more`),
    ...(before.additionalProperties !== false && after.additionalProperties === false
      ? [`${where} takes no unknown fields any more`]
      : []),
    ...tighterLimits(where, before, after),
    ...ofBoth(where, { before, after, compare: ofRequest }),
  ];
}

/** What clients read must go on being there. */
function ofResponse(where: string, before: JsonSchema, after: JsonSchema): string[] {
  const optional = (before.required ?? []).filter(
    (name) => after.properties?.[name] !== undefined && !after.required?.includes(name),
  );
  return [
    ...optional.map((name) => `${where}.${name} may be absent now`),
    ...missing(typesOf(after), typesOf(before)).map((type) => `${where} may be ${type} now`),
    ...ofBoth(where, { before, after, compare: ofResponse }),
  ];
}

interface Comparison {
  readonly before: JsonSchema;
  readonly after: JsonSchema;
  readonly compare: (where: string, before: JsonSchema, after: JsonSchema) => string[];
}

function ofBoth(where: string, { before, after, compare }: Comparison): string[] {
  const values = after.enum === undefined ? [] : missing(before.enum ?? [], after.enum);
  return [
    ...values.map((value) => `${where}: the value ${JSON.stringify(value)} is gone`),
    ...Object.entries(before.properties ?? {}).flatMap(([name, field]) => {
      const now = after.properties?.[name];
      return now === undefined ? [`${where}.${name} is gone`] : compare(`${where}.${name}`, field, now);
    }),
    ...(before.items === undefined ? [] : compare(`${where}[]`, before.items, after.items ?? {})),
    ...(["anyOf", "oneOf"] as const).flatMap((kind) =>
      (before[kind] ?? []).flatMap((each, index) => compare(where, each, after[kind]?.[index] ?? {})),
    ),
  ];
}

function tighterLimits(where: string, before: JsonSchema, after: JsonSchema): string[] {
  const atMost = (["maxLength", "maxItems", "maximum"] as const).filter(
    (name) => (after[name] ?? Number.POSITIVE_INFINITY) < (before[name] ?? Number.POSITIVE_INFINITY),
  );
  const atLeast = (["minLength", "minItems", "minimum"] as const).filter(
    (name) => (after[name] ?? Number.NEGATIVE_INFINITY) > (before[name] ?? Number.NEGATIVE_INFINITY),
  );
  const pattern = after.pattern === undefined || after.pattern === before.pattern ? [] : ["pattern"];
  return [...atMost, ...atLeast, ...pattern].map((name) => `${where}: ${name} is tighter now`);
}

/** A whole number is a number too. Without a type it may be anything. */
function typesOf({ type }: JsonSchema): string[] {
  if (type === undefined) return ["null", "boolean", "number", "integer", "string", "object", "array"];
  const types = [type].flat();
  return types.includes("number") ? [...types, "integer"] : types;
}

function missing<T>(wanted: readonly T[], there: readonly T[]): T[] {
  return wanted.filter((each) => !there.includes(each));
}
