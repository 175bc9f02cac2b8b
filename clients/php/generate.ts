import type { OpenApiDocument } from "../../src/http/openapi/document.ts";
import type { JsonSchema } from "../../src/http/openapi/json-schema.ts";
import {
  alternativesOf,
  bodyOf,
  capitalised,
  credentialOf,
  fieldsOf,
  GENERATED,
  type ListedOperation,
  nameOf,
  operationsOf,
  outputOf,
  parametersIn,
  typesOf,
  wordsOf,
} from "../operations.ts";

/** `src/Operations.php`: a method of every operation, and every shape as an array shape of PHPStan and Psalm. Pure. */
export function phpSource(document: OpenApiDocument): string {
  const shapes = Object.entries(document.components.schemas).map(
    ([name, schema]) => ` * @phpstan-type ${name} ${typeOf(schema)}`,
  );
  return [
    "<?php",
    "",
    `// ${GENERATED}`,
    "",
    "declare(strict_types=1);",
    "",
    "namespace Trunkline;",
    "",
    "/**",
    " * A method for every operation of the interface. Objects are associative arrays.",
    " *",
    ...shapes,
    " */",
    "abstract class Operations extends Http",
    "{",
    operationsOf(document).map(methodOf).join("\n"),
    "}",
    "",
  ].join("\n");
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return nameOf(schema);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join("|");
  const alternatives = alternativesOf(schema);
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].join("|");
  const { types, isNullable } = typesOf(schema);
  if (types.length === 0) return "mixed";
  const all = new Set(types.map((type) => plainType(type, schema)));
  return [...all, ...(isNullable ? ["null"] : [])].join("|");
}

function plainType(type: string, schema: JsonSchema): string {
  switch (type) {
    case "string":
      return "string";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "array":
      return `list<${typeOf(schema.items ?? {})}>`;
    default:
      return arrayShape(schema);
  }
}

function arrayShape(schema: JsonSchema): string {
  const fields = fieldsOf(schema);
  if (fields.length > 0) {
    const entries = fields.map(
      ({ name, schema: own, isRequired }) => `${keyOf(name)}${isRequired ? "" : "?"}: ${typeOf(own)}`,
    );
    return `array{${entries.join(", ")}}`;
  }
  const { additionalProperties } = schema;
  return `array<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties) : "mixed"}>`;
}

function keyOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
}

function methodOf({ method, path, operation }: ListedOperation): string {
  const places = parametersIn("path", operation);
  const queries = parametersIn("query", operation);
  const body = bodyOf(operation);
  const output = outputOf(operation);
  const hasKey = method === "POST";
  const isQueryRequired = queries.some(({ required }) => required);
  const args = [
    ...places.map(({ name }) => `string ${variable(name)}`),
    ...(body === undefined ? [] : ["array $body"]),
    ...(queries.length === 0 ? [] : [isQueryRequired ? "array $query" : "array $query = []"]),
    ...(hasKey ? ["?string $idempotencyKey = null"] : []),
  ];
  const template = path.split(/(\{\w+\})/).filter((part) => part !== "");
  const url = template
    .map((part) => (part.startsWith("{") ? `rawurlencode(${variable(part.slice(1, -1))})` : `'${part}'`))
    .join(" . ");
  const call = [
    `'${method}'`,
    url,
    `'${credentialOf(operation)}'`,
    ...(queries.length === 0 ? [] : ["query: $query"]),
    ...(body === undefined ? [] : ["body: $body"]),
    ...(hasKey ? ["idempotencyKey: $idempotencyKey"] : []),
  ];
  const querySchema: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(queries.map(({ name, schema }) => [name, schema])),
    required: queries.filter(({ required }) => required).map(({ name }) => name),
  };
  const comment = [
    `${operation.summary}. \`${method} ${path}\``,
    ...(body === undefined ? [] : [`@param ${typeOf(body)} $body`]),
    ...(queries.length === 0 ? [] : [`@param ${typeOf(querySchema)} $query`]),
    ...(output === "text" ? [] : [`@return ${typeOf(output)}`]),
  ];
  return [
    "    /**",
    ...comment.map((line) => `     * ${line.replaceAll("*/", "* /")}`),
    "     */",
    `    public function ${operation.operationId}(${args.join(", ")}): ${output === "text" ? "string" : "array"}`,
    "    {",
    `        return $this->call(${call.join(", ")});`,
    "    }",
    "",
  ].join("\n");
}

function variable(name: string): string {
  const [first = "", ...rest] = wordsOf(name);
  return `$${first}${rest.map(capitalised).join("")}`;
}

function literal(value: unknown): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}
