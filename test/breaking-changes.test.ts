import { describe, expect, it } from "vitest";
import type { OpenApiDocument } from "../src/http/openapi/document.ts";
import type { JsonSchema } from "../src/http/openapi/json-schema.ts";
import type { Operation } from "../src/http/openapi/operation.ts";
import { breakingChanges } from "./kit/breaking-changes.ts";

const BODY: JsonSchema = {
  type: "object",
  required: ["to"],
  properties: {
    to: { type: "string", maxLength: 10 },
    kind: { type: "string", enum: ["a", "b"] },
    size: { type: "number" },
    list: { type: "array", items: { type: "object", properties: { x: { type: "string" } } } },
  },
};
const ANSWER: JsonSchema = {
  type: "object",
  required: ["id", "name"],
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    status: { type: "string", enum: ["on", "off"] },
    inner: { type: "object", properties: { y: { type: "integer" } } },
  },
};

const json = (schema: JsonSchema) => ({ "application/json": { schema } });
function operation(change: Partial<Operation> = {}): Operation {
  return {
    operationId: "send",
    tags: [],
    summary: "",
    description: "",
    security: [{ apiKey: [] }],
    parameters: [{ name: "limit", in: "query", required: false, schema: { type: "string" } }],
    requestBody: { required: true, content: json(BODY) },
    responses: { "200": { description: "", content: json(ANSWER) }, "400": { description: "" } },
    ...change,
  };
}
const takes = (change: (body: JsonSchema) => JsonSchema): Operation =>
  operation({ requestBody: { required: true, content: json(change(BODY)) } });
const answers = (change: (answer: JsonSchema) => JsonSchema): Operation =>
  operation({ responses: { "200": { description: "", content: json(change(ANSWER)) } } });
const field =
  (name: string, schema: JsonSchema | undefined) =>
  (of: JsonSchema): JsonSchema => {
    const { [name]: _gone, ...others } = of.properties ?? {};
    return { ...of, properties: schema === undefined ? others : { ...others, [name]: schema } };
  };

function documentOf(post: Operation | null, more: Record<string, Operation> = {}): OpenApiDocument {
  return {
    openapi: "3.1.0",
    info: { title: "", version: "", description: "" },
    tags: [],
    paths: { "/things": { ...(post === null ? {} : { post }), ...more } },
    webhooks: {},
    components: { schemas: {}, responses: {}, headers: {} },
  };
}

const BREAKS: [name: string, after: Operation | null, told: string][] = [
  ["a route", null, "POST /things: the route is gone"],
  ["its credential", operation({ security: [] }), "POST /things: another credential is needed"],
  ["a parameter", operation({ parameters: [] }), "POST /things: query limit is gone"],
  [
    "a parameter that is required now",
    operation({ parameters: [{ name: "limit", in: "query", required: true, schema: { type: "string" } }] }),
    "POST /things: query limit is required now",
  ],
  ["a request's field", takes(field("size", undefined)), "POST /things: body.size is gone"],
  [
    "a new required field",
    takes((body) => ({ ...field("from", { type: "string" })(body), required: ["to", "from"] })),
    "POST /things: body.from is required now",
  ],
  [
    "an old field that is required now",
    takes((body) => ({ ...body, required: ["to", "size"] })),
    "POST /things: body.size is required now",
  ],
  ["a type", takes(field("size", { type: "integer" })), "POST /things: body.size takes no number any more"],
  [
    "a value",
    takes(field("kind", { type: "string", enum: ["a"] })),
    'POST /things: body.kind: the value "b" is gone',
  ],
  [
    "a limit",
    takes(field("to", { type: "string", maxLength: 9 })),
    "POST /things: body.to: maxLength is tighter now",
  ],
  [
    "a new limit",
    takes(field("to", { type: "string", maxLength: 10, pattern: "^x" })),
    "POST /things: body.to: pattern is tighter now",
  ],
  [
    "unknown fields",
    takes((body) => ({ ...body, additionalProperties: false })),
    "POST /things: body takes no unknown fields any more",
  ],
  [
    "a field of a list's entries",
    takes(field("list", { type: "array", items: { type: "object" } })),
    "POST /things: body.list[].x is gone",
  ],
  ["an answer's field", answers(field("name", undefined)), "POST /things: 200.name is gone"],
  [
    "an answer's field that may be absent now",
    answers((answer) => ({ ...answer, required: ["id"] })),
    "POST /things: 200.name may be absent now",
  ],
  [
    "an answer's type",
    answers(field("name", { type: ["string", "null"] })),
    "POST /things: 200.name may be null now",
  ],
  [
    "an answer's value",
    answers(field("status", { type: "string", enum: ["on"] })),
    'POST /things: 200.status: the value "off" is gone',
  ],
  [
    "a field within an answer's field",
    answers(field("inner", { type: "object", properties: {} })),
    "POST /things: 200.inner.y is gone",
  ],
  [
    "a status",
    operation({ responses: { "201": { description: "", content: json(ANSWER) } } }),
    "POST /things: 200 is not answered any more",
  ],
];

describe("what breaks clients", () => {
  it.each(BREAKS)("%s", (_name, after, told) => {
    expect(breakingChanges(documentOf(operation()), documentOf(after))).toEqual([told]);
  });
});

describe("what does not", () => {
  it.each<[string, OpenApiDocument]>([
    ["nothing", documentOf(operation())],
    ["a new route", documentOf(operation(), { get: operation() })],
    ["a new optional field", documentOf(takes(field("note", { type: "string" })))],
    ["a new value", documentOf(takes(field("kind", { type: "string", enum: ["a", "b", "c"] })))],
    ["a wider type", documentOf(takes(field("size", { type: ["number", "string"] })))],
    ["a wider limit", documentOf(takes(field("to", { type: "string", maxLength: 11 })))],
    ["a field that is not required any more", documentOf(takes((body) => ({ ...body, required: [] })))],
    ["a new field of the answer", documentOf(answers(field("note", { type: "string" })))],
    ["other words", documentOf(operation({ summary: "Send a thing" }))],
    [
      "another error",
      documentOf(operation({ responses: { ...operation().responses, "409": { description: "" } } })),
    ],
  ])("%s", (_name, after) => {
    expect(breakingChanges(documentOf(operation()), after)).toEqual([]);
  });
});
