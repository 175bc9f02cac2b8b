import Schema from "typebox/schema";
import { ERRORS } from "../../../src/core/errors.ts";
import { answerOf, codesOf } from "../../../src/http/openapi/answer.ts";
import type { OpenApiDocument } from "../../../src/http/openapi/document.ts";
import type { JsonSchema } from "../../../src/http/openapi/json-schema.ts";
import type { Operation } from "../../../src/http/openapi/operation.ts";
import { withoutReferences } from "../../kit/interface.ts";
import type { Answer } from "./call.ts";

type Check = (value: unknown) => string[];
const checks = new Map<JsonSchema, Check>();

/** What is wrong with an answer, by the description of its operation; null when nothing is. */
export function faultOf(document: OpenApiDocument, operation: Operation, answer: Answer): string | null {
  const { status, headers, text, json } = answer;
  const described = operation.responses[String(status)];
  if (described === undefined) return `${status} is not described: ${text}`;
  if (!/^[0-9a-f]{32}$/.test(String(headers["x-request-id"]))) return "there is no X-Request-Id";
  const { content = {} } = answerOf(document, described);
  const [[type, { schema }] = ["", { schema: {} }]] = Object.entries(content);
  if (!String(headers["content-type"]).startsWith(type))
    return `it is ${headers["content-type"]}, not ${type}`;
  const isJson = type === "application/json";
  if (status >= 400 && isJson) {
    const { error = "" } = json as { error?: string };
    if (!(error in ERRORS)) return `${error} is not in the catalogue`;
    if (!codesOf(answerOf(document, described)).includes(error))
      return `${status} ${error} is not described: ${text}`;
    if (status >= 500 && error === "INTERNAL_ERROR") return "it is a failure of ours";
  }
  const faults = checkOf(document, schema)(isJson ? json : text);
  return faults.length === 0 ? null : `${text.slice(0, 500)} does not fit: ${faults.join("; ")}`;
}

function checkOf(document: OpenApiDocument, schema: JsonSchema): Check {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const validator = Schema.Compile(withoutReferences(document, schema) as object as Record<string, unknown>);
  const check: Check = (value) => {
    if (validator.Check(value)) return [];
    return validator.Errors(value)[1].map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  checks.set(schema, check);
  return check;
}
