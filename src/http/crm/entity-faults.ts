import type { FastifySchemaValidationError } from "fastify";
import type { EntityFault } from "../../core/crm/entity.ts";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { faultOf, fieldsError, MAX_FAULTS } from "../schema/fields.ts";

/** Maximum errors examined: one keyword may fail for each of many items. */
const MAX_EXAMINED = 1_000;
/** `[3].name`, or `contacts[3].name` if the list has a name. */
const FIELD = /^\w*\[(\d+)\]\.?(.*)$/;

/**
 * Formats validation errors of the entities of a request: the invalid entities by index, with the code, 20 errors at
 * most. Too many entities, and errors outside an entity, are errors of the request.
 */
export function entityFaults(code: ErrorCode) {
  return (errors: FastifySchemaValidationError[]): AppError => {
    const fields = errors
      .slice(0, MAX_EXAMINED)
      .map((error) => ({ error, place: FIELD.exec(faultOf(error).field) }));
    const ofRequest = fields.filter(({ place }) => place === null).map(({ error }) => error);
    if (ofRequest.some(({ keyword }) => keyword === "maxItems")) return new AppError("TOO_MANY_ENTITIES");
    if (ofRequest.length > 0) return fieldsError(ofRequest);
    return new AppError(code, {
      data: byEntity(fields.flatMap(({ place }) => (place === null ? [] : [place])).slice(0, MAX_FAULTS)),
    });
  };
}

function byEntity(places: readonly RegExpExecArray[]): EntityFault[] {
  const byIndex = new Map<number, Set<string>>();
  for (const [, index, field = ""] of places) {
    const fields = byIndex.get(Number(index)) ?? new Set();
    if (field !== "") fields.add(field);
    byIndex.set(Number(index), fields);
  }
  return [...byIndex]
    .toSorted(([a], [b]) => a - b)
    .map(([index, fields]) => ({ index, fields: [...fields] }));
}
