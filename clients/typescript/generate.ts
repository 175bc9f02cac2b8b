import type { OpenApiDocument } from "../../src/http/openapi/document.ts";
import type { JsonSchema } from "../../src/http/openapi/json-schema.ts";
import type { Operation, Parameter } from "../../src/http/openapi/operation.ts";
import { credentialOf, type ListedOperation, operationsOf } from "../operations.ts";

/** `src/generated.ts` of the client: types of every operation, and the table that the client works from. Pure. */
export function clientSource(document: OpenApiDocument, errorCodes: readonly string[]): string {
  const table = tableSource("OPERATIONS", operationsOf(document));
  return [...typesSource(document, errorCodes, "docs/openapi.json"), ...table, ""].join("\n");
}

/** The same in several files: the types, and a table of its own for each program that uses some of the operations. Pure. */
export function pagesSource(
  document: OpenApiDocument,
  errorCodes: readonly string[],
  tables: readonly ClientTable[],
): readonly { readonly file: string; readonly text: string }[] {
  const source = "the description of /app/api";
  const types = [...typesSource(document, errorCodes, source), ""].join("\n");
  return [
    { file: "web/kit/api/generated.ts", text: types },
    ...tables.map(({ file, name, types: from, has }) => {
      const lines = [
        headOf(source),
        "",
        `import type { Operations, Route } from "${from}";`,
        "",
        ...tableSource(
          name,
          operationsOf(document).filter(({ path }) => has(path)),
        ),
        "",
      ];
      return { file, text: lines.join("\n") };
    }),
  ];
}

export interface ClientTable {
  readonly file: string;
  readonly name: string;
  /** Path from the file to the types. */
  readonly types: string;
  /** Whether an operation of this path belongs to it. */
  has(path: string): boolean;
}

function headOf(source: string): string {
  return `// Made from ${source} by \`npm run docs\`; what is changed here is lost.`;
}

function typesSource(document: OpenApiDocument, errorCodes: readonly string[], source: string): string[] {
  return [
    headOf(source),
    "",
    "/** Codes of errors. A newer service may have more. */",
    `export type ErrorCode =\n${errorCodes.map((code) => `  | ${JSON.stringify(code)}`).join("\n")};`,
    "",
    ...shapesOf(document),
    "/** What each operation takes and answers. */",
    "export interface Operations {",
    ...operationsOf(document).map(operationType),
    "}",
    "",
    "/** Method, path and credential of an operation. */",
    "export type Route = readonly [method: string, path: string, credential: string];",
    "",
  ];
}

/** The named shapes of the interface. */
function shapesOf({ components }: OpenApiDocument): string[] {
  return Object.entries(components.schemas)
    .filter(([name]) => name !== "Error")
    .flatMap(([name, schema]) => [
      ...(schema.description === undefined ? [] : [commentOf(schema.description)]),
      `export type ${name} = ${typeOf(schema, "")};`,
      "",
    ]);
}

function tableSource(name: string, operations: readonly ListedOperation[]): string[] {
  return [
    `export const ${name} = {`,
    ...operations.map(({ method, path, operation }) => {
      const facts = [method, path, credentialOf(operation)].map((fact) => JSON.stringify(fact));
      return `  ${operation.operationId}: [${facts.join(", ")}],`;
    }),
    "} as const satisfies Partial<Record<keyof Operations, Route>>;",
  ];
}

function operationType({ method, path, operation }: ListedOperation): string {
  const { operationId, summary, parameters = [], requestBody } = operation;
  const body = requestBody?.content["application/json"]?.schema;
  const input = [
    parametersType("path", parameters),
    parametersType("query", parameters),
    body === undefined ? "" : `body: ${typeOf(body, "      ")}`,
  ].filter((part) => part !== "");
  return [
    `  /** ${summary}. \`${method} ${path}\` */`,
    `  ${operationId}: {`,
    `    input: ${input.length === 0 ? "Record<never, never>" : `{\n${input.map((part) => `      ${part};`).join("\n")}\n    }`};`,
    `    output: ${outputOf(operation)};`,
    "  };",
  ].join("\n");
}

function parametersType(place: Parameter["in"], parameters: readonly Parameter[]): string {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return "";
  const schema: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(
      own.map(({ name, description, schema }) => [
        name,
        { ...schema, ...(description === undefined ? {} : { description }) },
      ]),
    ),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  };
  const optional = schema.required?.length === 0 ? "?" : "";
  return `${place}${optional}: ${typeOf(schema, "      ")}`;
}

function outputOf({ responses }: Operation): string {
  const types = Object.entries(responses)
    .filter(([status]) => status < "400")
    .flatMap(([, answer]) => ("content" in answer ? Object.values(answer.content ?? {}) : []))
    .map(({ schema }) => typeOf(schema, "    "));
  return types.length === 0 ? "undefined" : [...new Set(types)].join(" | ");
}

/** A schema as a type of TypeScript. */
function typeOf(schema: JsonSchema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives !== undefined && schema.properties === undefined)
    return alternatives.map((each) => typeOf(each, indent)).join(" | ");
  if (schema.type === undefined) return "unknown";
  const types = [schema.type].flat().map((type) => plainType(type, schema, indent));
  return [...new Set(types)].join(" | ");
}

function plainType(type: string, schema: JsonSchema, indent: string): string {
  switch (type) {
    case "integer":
      return "number";
    case "array":
      return arrayOf(schema.items ?? {}, indent);
    case "object":
      return objectType(schema, indent);
    default:
      return type;
  }
}

function commentOf(text: string): string {
  return `/** ${text.replaceAll("*/", "*\\/")} */`;
}

function arrayOf(items: JsonSchema, indent: string): string {
  const item = typeOf(items, indent);
  const alternatives = items.enum ?? items.oneOf ?? items.anyOf ?? [items.type].flat();
  return alternatives.length > 1 ? `(${item})[]` : `${item}[]`;
}

function objectType(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  indent: string,
): string {
  const fields = Object.entries(properties);
  if (fields.length === 0) {
    const values =
      typeof additionalProperties === "object" ? typeOf(additionalProperties, indent) : "unknown";
    return `Record<string, ${values}>`;
  }
  const inner = `${indent}  `;
  const lines = fields.map(([name, field]) => {
    const comment = field.description === undefined ? "" : `${inner}${commentOf(field.description)}\n`;
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${comment}${inner}${key}${required.includes(name) ? "" : "?"}: ${typeOf(field, inner)};`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}
