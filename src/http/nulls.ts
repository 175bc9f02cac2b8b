/** As much of JSON Schema as tells which fields are optional. */
export interface ObjectShape {
  readonly properties?: Readonly<Record<string, ObjectShape>>;
  readonly required?: readonly string[];
  readonly items?: ObjectShape;
  readonly maxItems?: number;
}

const ANY: ObjectShape = {};
/** Deeper than any body of the interface; what lies below stays as it is. */
const MAX_DEPTH = 50;

/** Takes every null out of the value that stands in an optional field, at any depth: to clients it means "absent". */
export function stripNulls(shape: ObjectShape, value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) stripNulls(shape.items ?? ANY, item, depth + 1);
    return;
  }
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    if (fields[name] !== null) stripNulls(shape.properties?.[name] ?? ANY, fields[name], depth + 1);
    else if (!shape.required?.includes(name)) delete fields[name];
  }
}
