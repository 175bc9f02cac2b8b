import type { BodyLimit } from "../limit/limits.ts";
import { NUMBERS } from "../schema/shapes.ts";
import type { Answer, Content, Reference } from "./answer.ts";
import { errorAnswersOf } from "./error-answers.ts";
import { descriptionOf, withDescriptions } from "./glossary.ts";
import { headersOf } from "./headers.ts";
import { type JsonSchema, openApiSchema } from "./json-schema.ts";
import { exampleOf } from "./page/example.ts";
import { bodyOf, PAGES, type Route, securityOf } from "./routes.ts";

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly deprecated?: true;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Content;
  /** Maximum bytes and JSON values. */
  readonly "x-limit"?: BodyLimit;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  /** What requests need has one. */
  readonly example?: unknown;
}

/** A route as described in OpenAPI. Pure. */
export function operationOf(route: Route): Operation {
  const { operationId = "", tags = [], summary = "", description } = route.schema;
  const parameters = parametersOf(route);
  const body = bodyOf(route);
  return {
    operationId,
    tags,
    summary,
    description: description ?? `${summary}.`,
    security: securityOf(route.url),
    ...(route.isDeprecated ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(route, body) }),
    responses: { ...successesOf(route), ...errorAnswersOf(route) },
  };
}

function requestBodyOf({ url, bodyLimit }: Route, body: JsonSchema): RequestBody {
  const { bytes, values } = bodyLimit;
  return {
    description: `At most ${bytes / 1_024} KB and ${values} JSON values.`,
    required: true,
    content: json(withDescriptions(body, contextOf(url))),
    "x-limit": bodyLimit,
  };
}

function parametersOf({ method, url, schema }: Route): Parameter[] {
  const takesKey = method === "POST" && securityOf(url).length > 0 && !url.startsWith(PAGES);
  const key: Parameter[] = takesKey ? [IDEMPOTENCY_KEY] : [];
  const context = contextOf(url);
  return [
    ...fieldsOf("path", schema.params, context),
    ...fieldsOf("query", schema.querystring, context),
    ...key,
  ];
}

/** Parts of the path, last first: the meaning of a field's name depends on them. */
function contextOf(url: string): string[] {
  return url
    .split("/")
    .filter((part) => part !== "" && !part.startsWith(":"))
    .reverse();
}

const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A request repeated with the same key and body within 24 hours returns the same response and has no further effect",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

function fieldsOf(
  place: "path" | "query",
  shape: JsonSchema | undefined,
  context: readonly string[],
): Parameter[] {
  if (shape === undefined) return [];
  const { properties = {}, required = [] } = openApiSchema(shape);
  return Object.entries(properties).map(([name, { description: own, ...described }]) => {
    const schema = place === "query" ? numberOf(described) : described;
    return {
      name,
      in: place,
      required: required.includes(name),
      ...descriptionOf(name, own === undefined ? {} : { description: own }, context),
      schema,
      ...(required.includes(name) ? { example: exampleOf(schema, name) } : {}),
    };
  });
}

/** A number, where its text is checked by a pattern. */
function numberOf(schema: JsonSchema): JsonSchema {
  const { pattern = "", type: _text, ...rest } = schema;
  const range = NUMBERS.get(pattern);
  return range === undefined ? schema : { type: "integer", ...range, ...rest };
}

function successesOf(route: Route): Record<string, Answer> {
  const { url, schema } = route;
  const headers = headersOf(route);
  const own = Object.entries(schema.response ?? {}).filter(([status]) => /^\d{3}$/.test(status));
  return Object.fromEntries(
    own.map(([status, shape]) => {
      const { description = DESCRIPTIONS[status] ?? "Done", ...answer } = withDescriptions(
        openApiSchema(shape),
        contextOf(url),
      );
      const content = answer.type === "string" ? { "text/plain": { schema: answer } } : json(answer);
      return [status, { description, ...(Object.keys(headers).length === 0 ? {} : { headers }), content }];
    }),
  );
}

const DESCRIPTIONS: Readonly<Record<string, string>> = { "201": "Created", "503": "Not now" };

function json(schema: JsonSchema): Content {
  return { "application/json": { schema, example: exampleOf(schema) } };
}
