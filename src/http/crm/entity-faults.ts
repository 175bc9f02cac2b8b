import type { FastifySchemaValidationError } from "fastify";
import type { EntityFault } from "../../core/crm/entity.ts";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { faultOf, fieldsError } from "../fields.ts";

/** `[3].name`, or `contacts[3].name` where the list has a name. */
const FIELD = /^\w*\[(\d+)\]\.?(.*)$/;

/**
 * How a route tells what is wrong with the entities of a request: all faulty ones by their places, under the code.
 * Too many of them, and what does not belong to an entity, are faults of the request.
 */
export function entityFaults(code: ErrorCode) {
  return (errors: FastifySchemaValidationError[]): AppError => {
    const fields = errors.map((error) => ({ error, place: FIELD.exec(faultOf(error).field) }));
    const ofRequest = fields.filter(({ place }) => place === null).map(({ error }) => error);
    if (ofRequest.some(({ keyword }) => keyword === "maxItems")) return new AppError("TOO_MANY_ENTITIES");
    if (ofRequest.length > 0) return fieldsError(ofRequest);
    return new AppError(code, {
      data: byEntity(fields.flatMap(({ place }) => (place === null ? [] : [place]))),
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
