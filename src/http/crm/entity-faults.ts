import type { FastifySchemaValidationError } from "fastify";
import type { EntityFault } from "../../core/crm/entity.ts";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { fieldOf, fieldsError, MAX_FAULTS } from "../schema/fields.ts";

/** `/3/name`, or `/contacts/3/name` if the list has a name. */
const IN_ENTITY = /^(?:\/[a-z]\w*)?\/(\d+)(.*)$/s;

/**
 * Formats validation errors of the entities of a request: every invalid entity by index, with the code, each with at
 * most `MAX_FAULTS` fields. Too many entities, and errors outside an entity, are errors of the request.
 */
export function entityFaults(code: ErrorCode) {
  return (errors: FastifySchemaValidationError[]): AppError => {
    const ofRequest: FastifySchemaValidationError[] = [];
    const byIndex = new Map<number, Set<string>>();
    for (const error of errors) {
      const place = IN_ENTITY.exec(error.instancePath);
      if (place !== null) addField(byIndex, Number(place[1]), { ...error, instancePath: place[2] ?? "" });
      else if (error.keyword === "maxItems") return new AppError("TOO_MANY_ENTITIES");
      else ofRequest.push(error);
    }
    return ofRequest.length > 0 ? fieldsError(ofRequest) : new AppError(code, { data: inOrder(byIndex) });
  };
}

function addField(
  byIndex: Map<number, Set<string>>,
  index: number,
  error: FastifySchemaValidationError,
): void {
  const fields = byIndex.get(index) ?? new Set();
  byIndex.set(index, fields);
  if (fields.size === MAX_FAULTS) return;
  const field = fieldOf(error);
  if (field !== "") fields.add(field);
}

function inOrder(byIndex: ReadonlyMap<number, ReadonlySet<string>>): EntityFault[] {
  return [...byIndex]
    .toSorted(([a], [b]) => a - b)
    .map(([index, fields]) => ({ index, fields: [...fields] }));
}
