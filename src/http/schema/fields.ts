import type { FastifySchemaValidationError } from "fastify";
import { AppError } from "../../core/errors.ts";
import { patternMessage } from "./shapes.ts";

/** One invalid field, as reported to the client. */
export interface FieldFault {
  /** A path such as `template.values[0]`; `body` for the whole body. */
  readonly field: string;
  readonly message: string;
}

/** Maximum fields that one error names: bodies of thousands of invalid values must not cause large responses. */
export const MAX_FAULTS = 100;

/** One 400 for the invalid fields, each named once, `MAX_FAULTS` at most. */
export function fieldsError(errors: readonly FastifySchemaValidationError[]): AppError {
  const faults = new Map<string, FieldFault>();
  for (const error of errors) {
    // Reports only that a required condition failed, which has errors of its own.
    if (error.keyword === "if") continue;
    const fault = faultOf(error);
    if (!faults.has(fault.field)) faults.set(fault.field, fault);
    if (faults.size === MAX_FAULTS) break;
  }
  return faultyFields([...faults.values()]);
}

/** The same for rules that no schema can express. */
export function faultyFields(fields: readonly FieldFault[]): AppError {
  return new AppError("VALIDATION_ERROR", { data: { fields } });
}

type SchemaFault = Pick<FastifySchemaValidationError, "keyword" | "instancePath" | "params">;

function faultOf(error: SchemaFault): FieldFault {
  return { field: fieldOf(error) || "body", message: messageOf(error.keyword, error.params) };
}

/** The path of the field for which a schema keyword failed; "" for the whole value. */
export function fieldOf({ keyword, instancePath, params }: SchemaFault): string {
  const path = dotted(instancePath);
  switch (keyword) {
    case "required":
      return within(path, String(params["missingProperty"]));
    case "additionalProperties":
      return within(path, String(params["additionalProperty"]));
    case "dependencies":
      return within(path, String(params["property"]));
    default:
      return path;
  }
}

function messageOf(keyword: string, params: Record<string, unknown>): string {
  const limit = Number(params["limit"]);
  switch (keyword) {
    case "required":
      return "is required";
    case "additionalProperties":
      return "is not a known field";
    case "dependencies":
      return `is allowed only together with ${params["missingProperty"]}`;
    case "type":
      return `must be ${TYPES[String(params["type"])] ?? params["type"]}`;
    case "enum":
      return `must be one of ${(params["allowedValues"] as readonly unknown[]).join(", ")}`;
    case "pattern":
      return patternMessage(String(params["pattern"]));
    case "minLength":
      return limit === 1 ? "must not be empty" : `must have at least ${limit} characters`;
    case "maxLength":
      return `must have at most ${limit} characters`;
    case "maxItems":
      return `must have at most ${limit} items`;
    case "minItems":
      return limit === 1 ? "must not be empty" : `must have at least ${limit} items`;
    case "minimum":
      return `must be at least ${limit}`;
    case "maximum":
      return `must be at most ${limit}`;
    case "false schema":
      return "does not belong to this request";
    default:
      return "has a wrong value";
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  number: "a number",
  integer: "a whole number",
  object: "an object",
  array: "an array",
};

/** `/template/values/0` → `template.values[0]`. */
function dotted(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : within(path, part)), "");
}

function within(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
