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

/** `trunkline/generated.py`: a `TypedDict` of every shape, and a method of every operation. Pure. */
export function pythonSource(document: OpenApiDocument): string {
  const types = new Types();
  const methods = operationsOf(document).map((listed) => methodOf(types, listed));
  for (const [name, schema] of Object.entries(document.components.schemas)) types.define(name, schema);
  return [
    `# ${GENERATED}`,
    "from __future__ import annotations",
    "",
    "from typing import Any, Dict, List, Literal, NotRequired, Optional, TypedDict, Union",
    "",
    "from ._http import Http, segment",
    "",
    "",
    ...types.lines,
    "class Operations(Http):",
    '    """A method for every operation of the interface."""',
    "",
    ...methods,
  ].join("\n");
}

/** Declares inline objects under the name of the place where they are. */
class Types {
  readonly lines: string[] = [];

  define(name: string, schema: JsonSchema): void {
    const type = isObject(schema) ? undefined : this.of(schema, name);
    if (type === undefined) this.#object(name, schema);
    else
      this.lines.push(`${name} = ${type.includes('"') || !/^\w+$/.test(type) ? type : `"${type}"`}`, "", "");
  }

  /** The type as an annotation. References are quoted, because types may refer to later ones. */
  of(schema: JsonSchema, name: string): string {
    if (schema.$ref !== undefined) return `"${nameOf(schema)}"`;
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(", ")}]`;
    const alternatives = alternativesOf(schema);
    if (alternatives !== undefined)
      return union(alternatives.map((each, index) => this.of(each, `${name}${index + 1}`)));
    const { types, isNullable } = typesOf(schema);
    if (types.length === 0) return "Any";
    const all = union(types.map((type) => this.#plain(type, schema, name)));
    return isNullable ? `Optional[${all}]` : all;
  }

  #plain(type: string, schema: JsonSchema, name: string): string {
    switch (type) {
      case "string":
        return "str";
      case "integer":
        return "int";
      case "number":
        return "float";
      case "boolean":
        return "bool";
      case "array":
        return `List[${this.of(schema.items ?? {}, `${name}Item`)}]`;
      default:
        return this.#inline(schema, name);
    }
  }

  #inline(schema: JsonSchema, name: string): string {
    if (isObject(schema)) {
      this.#object(name, schema);
      return `"${name}"`;
    }
    const { additionalProperties } = schema;
    const values =
      typeof additionalProperties === "object" ? this.of(additionalProperties, `${name}Value`) : "Any";
    return `Dict[str, ${values}]`;
  }

  #object(name: string, schema: JsonSchema): void {
    const fields = fieldsOf(schema).map(({ name: field, schema: own, isRequired }) => {
      const type = this.of(own, name + wordsOf(field).map(capitalised).join(""));
      return { field, text: isRequired ? type : `NotRequired[${type}]`, comment: own.description };
    });
    // The functional form allows any name of a field.
    const entries = fields.flatMap(({ field, text, comment }) => [
      ...(comment === undefined ? [] : [`    # ${oneLine(comment)}`]),
      `    ${JSON.stringify(field)}: ${text},`,
    ]);
    this.lines.push(`${name} = TypedDict("${name}", {`, ...entries, "})", "", "");
  }
}

function isObject(schema: JsonSchema): boolean {
  return schema.properties !== undefined && Object.keys(schema.properties).length > 0;
}

function methodOf(types: Types, { method, path, operation }: ListedOperation): string {
  const name = snake(operation.operationId);
  const owner = capitalised(operation.operationId);
  const places = parametersIn("path", operation);
  const queries = parametersIn("query", operation);
  const body = bodyOf(operation);
  const hasKey = method === "POST";
  const named = [
    ...queries.map(({ name: query, schema, required }) => {
      const type = types.of(schema, owner + wordsOf(query).map(capitalised).join(""));
      return required ? `${argument(query)}: ${type}` : `${argument(query)}: Optional[${type}] = None`;
    }),
    ...(hasKey ? ["idempotency_key: Optional[str] = None"] : []),
  ];
  const args = [
    "self",
    ...places.map((place) => `${argument(place.name)}: str`),
    ...(body === undefined ? [] : [`body: ${types.of(body, `${owner}Body`)}`]),
    ...(named.length === 0 ? [] : ["*", ...named]),
  ];
  const output = outputOf(operation);
  const result = output === "text" ? "str" : types.of(output, `${owner}Result`);
  const template = path.replaceAll(/\{(\w+)\}/g, (_, place) => `{segment(${argument(place)})}`);
  const call = [
    JSON.stringify(method),
    places.length === 0 ? JSON.stringify(path) : `f${JSON.stringify(template)}`,
    JSON.stringify(credentialOf(operation)),
    ...(queries.length === 0
      ? []
      : [
          `query={${queries.map((query) => `${JSON.stringify(query.name)}: ${argument(query.name)}`).join(", ")}}`,
        ]),
    ...(body === undefined ? [] : ["body=body"]),
    ...(hasKey ? ["idempotency_key=idempotency_key"] : []),
  ];
  return [
    `    def ${name}(${args.join(", ")}) -> ${result}:`,
    `        """${oneLine(operation.summary)}. \`${method} ${path}\`"""`,
    `        return self._call(${call.join(", ")})`,
    "",
  ].join("\n");
}

const KEYWORDS = ["from", "class", "def", "return", "global", "in", "is", "type"];

function argument(name: string): string {
  const plain = wordsOf(name)
    .map((word) => word.toLowerCase())
    .join("_");
  return KEYWORDS.includes(plain) ? `${plain}_` : plain;
}

function snake(name: string): string {
  return wordsOf(name)
    .map((word) => word.toLowerCase())
    .join("_");
}

function literal(value: unknown): string {
  return value === true
    ? "True"
    : value === false
      ? "False"
      : value === null
        ? "None"
        : JSON.stringify(value);
}

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  return all.length === 1 ? (all[0] ?? "Any") : `Union[${all.join(", ")}]`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll('"""', "'''");
}
