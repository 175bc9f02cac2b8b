import { AjvCompiler } from "@fastify/ajv-compiler";
import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import type { FastifySchema } from "fastify";
import type { FastifyRouteSchemaDef, FastifyValidationResult } from "fastify/types/schema.js";
import type { App } from "../app.ts";
import { errorSchema } from "./shapes.ts";

type RouteSchema = FastifyRouteSchemaDef<FastifySchema>;

/** Values are checked without coercion, and all errors of a value are reported. */
const VALIDATION = {
  coerceTypes: false,
  allErrors: true,
  removeAdditional: false,
  useDefaults: false,
  allowUnionTypes: true,
};

// These cache what they compiled, for all servers of this process.
const buildValidators = AjvCompiler();
const buildSerializers = SerializerSelector();

/** Fastify's own compilers, with our settings. */
export const compileValidator = (route: RouteSchema): FastifyValidationResult =>
  buildValidators({}, { customOptions: VALIDATION })(route);
export const compileSerializer = (route: RouteSchema): ((data: unknown) => string) =>
  buildSerializers({ Error: errorSchema })({ httpStatus: "", ...route });

/**
 * Compiles each schema of the routes at its first use: compiling all took a third of the service's start, and most
 * nodes use few. An invalid schema throws at its first use; a test compiles all of them.
 */
export function compileSchemasAtFirstUse(app: App): void {
  app.setValidatorCompiler((route: RouteSchema) => validatorOf(once(() => compileValidator(route))));
  app.setSerializerCompiler((route: RouteSchema) => {
    const serialize = once(() => compileSerializer(route));
    return (data) => serialize()(data);
  });
}

/** Fastify reads the errors of a rejected value from the validator itself. */
function validatorOf(compiled: () => FastifyValidationResult): FastifyValidationResult {
  const validate: FastifyValidationResult = (value) => {
    const check = compiled();
    const outcome = check(value);
    validate.errors = check.errors ?? null;
    return outcome;
  };
  return validate;
}

/** Computes the value at the first call. If that throws, the next call retries. */
function once<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}
