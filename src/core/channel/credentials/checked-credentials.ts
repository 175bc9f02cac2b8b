import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { AppError } from "../../errors.ts";

/** One invalid field of the credentials, as reported in the response. */
interface Fault {
  readonly field: string;
  readonly message: string;
}

/** The credentials for the connector. Throws VALIDATION_ERROR with every missing, invalid and unknown field. */
export function checkedCredentials(
  schema: TSchema & { readonly properties: Readonly<Record<string, unknown>> },
  credentials: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const compiled = Compile(schema);
  const unknown = Object.keys(credentials)
    .filter((name) => !Object.hasOwn(schema.properties, name))
    .map((name) => faultAt([name], "is not a known field"));
  const wrong = compiled.Check(credentials) ? [] : compiled.Errors(credentials).flatMap(faultsOf);
  if (unknown.length + wrong.length === 0) return credentials;
  throw new AppError("VALIDATION_ERROR", { data: { fields: [...wrong, ...unknown] } });
}

function faultsOf({ instancePath, message, ...violation }: TLocalizedValidationError): Fault[] {
  const path = instancePath.split("/").slice(1);
  switch (violation.keyword) {
    case "required":
      return violation.params.requiredProperties.map((name) => faultAt([...path, name], "is required"));
    case "pattern":
      return [faultAt(path, "has a wrong format")];
    default:
      return [faultAt(path, message)];
  }
}

function faultAt(path: readonly string[], message: string): Fault {
  return { field: ["credentials", ...path].join("."), message };
}
