/** The part of JSON Schema that defines which fields are optional. */
export interface ObjectShape {
  readonly properties?: Readonly<Record<string, ObjectShape>>;
  readonly required?: readonly string[];
  readonly items?: ObjectShape;
  readonly maxItems?: number;
  readonly anyOf?: readonly ObjectShape[];
  readonly type?: string | readonly string[];
}

const ANY: ObjectShape = {};
/** Deeper than any body of the interface; deeper values are not changed. */
const MAX_DEPTH = 50;

/** Removes every null of an optional field, at any depth: clients use it for "absent". */
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

/**
 * Removes empty texts and lists from these fields, where clients use them for "absent"; a path names nested fields,
 * such as `attachment.name`.
 */
export function stripEmpty(paths: readonly string[], body: unknown): void {
  for (const path of paths) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    const holder = names.reduce<unknown>((value, name) => fieldsOf(value)?.[name], body);
    const fields = fieldsOf(holder);
    if (fields !== null && isEmpty(fields[last])) delete fields[last];
  }
}

function fieldsOf(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

/** The valid body, with integers converted to strings where its schema accepts either: ids of the CRM. */
export function idsToText(shape: ObjectShape, value: unknown): unknown {
  if (typeof value === "number") return isTextOrInteger(shape) ? String(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = shape;
    if (items !== undefined)
      for (const [index, item] of value.entries()) value[index] = idsToText(items, item);
    return value;
  }
  const fields = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(propertiesOf(shape))) {
    const inner = fields[name];
    if (inner !== undefined) fields[name] = idsToText(field, inner);
  }
  return value;
}

function propertiesOf({ properties, anyOf = [] }: ObjectShape): Readonly<Record<string, ObjectShape>> {
  return properties ?? anyOf.find((each) => each.properties !== undefined)?.properties ?? {};
}

function isTextOrInteger({ type, anyOf = [] }: ObjectShape): boolean {
  if (Array.isArray(type)) return type.includes("string") && type.includes("integer");
  return anyOf.some(isTextOrInteger);
}
