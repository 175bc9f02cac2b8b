import type { OpenApiDocument } from "../../src/http/openapi/document.ts";
import type { JsonSchema } from "../../src/http/openapi/json-schema.ts";
import type { Parameter } from "../../src/http/openapi/operation.ts";
import {
  alternativesOf,
  bodyOf,
  capitalised,
  credentialOf,
  fieldsOf,
  type ListedOperation,
  nameOf,
  operationsOf,
  outputOf,
  parametersIn,
  typesOf,
  wordsOf,
} from "../operations.ts";

/** `generated.go`: a type of every shape, and a method of every operation. Pure. `gofmt` indents it. */
export function goSource(document: OpenApiDocument): string {
  // `Error` is in client.go.
  const shapes = Object.entries(document.components.schemas).filter(([name]) => name !== "Error");
  const types = shapes.map(([name, schema]) =>
    [...commentOf(name, schema.description), `type ${name} ${typeOf(schema)}`, ""].join("\n"),
  );
  const lines = [
    "// Code generated from docs/openapi.json by npm run docs. DO NOT EDIT.",
    "",
    "package trunkline",
    "",
    "import (",
    '\t"context"',
    '\t"net/url"',
    ")",
    "",
    ...types,
    ...operationsOf(document).map((listed) => methodOf(document, listed)),
  ];
  return indented(lines.join("\n"));
}

/** With a tab for each open brace or bracket, as `gofmt` has it. */
function indented(text: string): string {
  let depth = 0;
  const lines = text.split("\n").map((line) => {
    const code = line.trim();
    const isComment = code.startsWith("//");
    if (!isComment && /^[})]/.test(code)) depth -= 1;
    const own = code === "" ? "" : "\t".repeat(depth) + code;
    if (!isComment && /[{(]$/.test(code)) depth += 1;
    return own;
  });
  return lines.join("\n");
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return nameOf(schema);
  if (schema.const !== undefined) return scalarOf(typeof schema.const);
  if (alternativesOf(schema) !== undefined) return "any";
  const { types, isNullable } = typesOf(schema);
  const [type, ...more] = types;
  if (type === undefined || more.length > 0) return "any";
  const plain = plainType(type, schema);
  return isNullable && !/^(any$|\[\]|map\[)/.test(plain) ? `*${plain}` : plain;
}

function plainType(type: string, schema: JsonSchema): string {
  switch (type) {
    case "array":
      return `[]${typeOf(schema.items ?? {})}`;
    case "object":
      return structOf(schema);
    default:
      return scalarOf(type);
  }
}

function scalarOf(type: string): string {
  switch (type) {
    case "string":
      return "string";
    case "integer":
      return "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return "any";
  }
}

function structOf(schema: JsonSchema): string {
  const fields = fieldsOf(schema);
  if (fields.length === 0) {
    const { additionalProperties } = schema;
    return `map[string]${typeof additionalProperties === "object" ? typeOf(additionalProperties) : "any"}`;
  }
  const lines = fields.flatMap(({ name, schema: own, isRequired }) => {
    const type = typeOf(own);
    const isOptional = !isRequired && !/^(any$|\[\]|map\[|\*)/.test(type);
    const tag = `\`json:"${name}${isRequired ? "" : ",omitempty"}"\``;
    // Without a comment, an empty line keeps it from being aligned with the field above.
    const comment = own.description === undefined ? [""] : commentOf("", own.description);
    return [...comment, `${goName(name)} ${isOptional ? "*" : ""}${type} ${tag}`];
  });
  return `struct {\n${lines.join("\n").trimStart()}\n}`;
}

function methodOf(document: OpenApiDocument, { method, path, operation }: ListedOperation): string {
  const name = capitalised(operation.operationId);
  const places = parametersIn("path", operation);
  const queries = parametersIn("query", operation);
  const body = bodyOf(operation);
  const output = outputOf(operation);
  const result = output === "text" ? "string" : typeOf(output);
  const paged = pagedBy(document, output, queries);
  const params = [
    "ctx context.Context",
    ...places.map((place) => `${argument(place.name)} string`),
    ...(body === undefined ? [] : [`body ${typeOf(body)}`]),
    ...(queries.length === 0 ? [] : [`query *${name}Query`]),
    ...(method === "POST" ? ["options ...Option"] : []),
  ];
  const format = JSON.stringify(path.replaceAll(/\{\w+\}/g, "%s"));
  const url =
    places.length === 0
      ? format
      : `pathOf(${[format, ...places.map((place) => argument(place.name))].join(", ")})`;
  const call = [
    "ctx",
    JSON.stringify(method),
    url,
    JSON.stringify(credentialOf(operation)),
    queries.length === 0 ? "nil" : "query.values()",
    body === undefined ? "nil" : "body",
    "&result",
    ...(method === "POST" ? ["options..."] : []),
  ];
  return [
    ...(queries.length === 0 ? [] : [queryType(name, queries)]),
    ...commentOf(name, `${operation.summary}. ${method} ${path}`),
    `func (c *Client) ${name}(${params.join(", ")}) (${result}, error) {`,
    `var result ${result}`,
    `err := c.call(${call.join(", ")})`,
    "return result, err",
    "}",
    "",
    ...(paged === undefined ? [] : [eachMethod(name, places, paged)]),
  ].join("\n");
}

/** How a list is paged: by `cursor`, by the position `before` or `after`, only by `before`, or by `offset`; and its item. */
interface Paged {
  readonly by: "cursor" | "position" | "before" | "offset";
  readonly item: string;
}

function pagedBy(
  { components }: OpenApiDocument,
  output: JsonSchema | "text",
  queries: readonly Parameter[],
): Paged | undefined {
  if (output === "text") return undefined;
  const schema: JsonSchema = output.$ref === undefined ? output : (components.schemas[nameOf(output)] ?? {});
  const items = schema.properties?.["data"]?.items;
  const names = queries.map(({ name }) => name);
  if (items === undefined) return undefined;
  const item = typeOf(items);
  if (names.includes("cursor")) return { by: "cursor", item };
  if (names.includes("before")) return { by: names.includes("after") ? "position" : "before", item };
  return names.includes("offset") ? { by: "offset", item } : undefined;
}

/** `EachX` calls a function with every item of all pages. */
function eachMethod(name: string, places: readonly Parameter[], { by, item }: Paged): string {
  const given = places.map((place) => `${argument(place.name)} string, `).join("");
  const passed = places.map((place) => `${argument(place.name)}, `).join("");
  const following = {
    cursor: ["if page.Next == nil {", "return nil", "}", "next.Cursor = page.Next"],
    position: [
      "if page.Meta.Next == nil {",
      "return nil",
      "}",
      "if next.After != nil && next.Before == nil {",
      "next.After = page.Meta.Next",
      "} else {",
      "next.Before = page.Meta.Next",
      "}",
    ],
    before: ["if page.Meta.Next == nil {", "return nil", "}", "next.Before = page.Meta.Next"],
    offset: [
      "if len(page.Data) == 0 {",
      "return nil",
      "}",
      "next.Offset = Ptr(valueOf(next.Offset) + int64(len(page.Data)))",
    ],
  }[by];
  return [
    `// Each${name} calls use with the items of all pages of ${name}, until it returns an error.`,
    `func (c *Client) Each${name}(ctx context.Context, ${given}query *${name}Query, use func(${item}) error) error {`,
    `next := ${name}Query{}`,
    "if query != nil {",
    "next = *query",
    "}",
    "for {",
    `page, err := c.${name}(ctx, ${passed}&next)`,
    "if err != nil {",
    "return err",
    "}",
    "for _, item := range page.Data {",
    "if err := use(item); err != nil {",
    "return err",
    "}",
    "}",
    ...following,
    "}",
    "}",
    "",
  ].join("\n");
}

function queryType(name: string, queries: readonly Parameter[]): string {
  const fields = queries.flatMap((query) => [
    ...commentOf("", query.description ?? query.schema.description ?? query.name),
    `${goName(query.name)} *${queryScalar(query.schema)}`,
  ]);
  const values = queries.map(
    (query) => `addTo(values, ${JSON.stringify(query.name)}, q.${goName(query.name)})`,
  );
  return [
    `// ${name}Query is the query of ${name}. Nil fields are not sent.`,
    `type ${name}Query struct {`,
    ...fields,
    "}",
    "",
    `func (q *${name}Query) values() url.Values {`,
    "if q == nil {",
    "return nil",
    "}",
    "values := url.Values{}",
    ...values,
    "return values",
    "}",
    "",
  ].join("\n");
}

function queryScalar(schema: JsonSchema): string {
  const { types } = typesOf(schema);
  return types.length === 1 ? scalarOf(types[0] ?? "string").replace("any", "string") : "string";
}

const INITIALISMS = ["id", "url", "uri", "json", "qr", "crm"];

function goName(name: string): string {
  return wordsOf(name)
    .map((word) => (INITIALISMS.includes(word.toLowerCase()) ? word.toUpperCase() : capitalised(word)))
    .join("");
}

function argument(name: string): string {
  const [first = "", ...rest] = wordsOf(name);
  return first.toLowerCase() + rest.map((word) => goName(word)).join("");
}

function commentOf(name: string, text: string | undefined): string[] {
  if (text === undefined) return [];
  return [`// ${name === "" ? "" : `${name}: `}${text.replaceAll(/\s+/g, " ")}`];
}
