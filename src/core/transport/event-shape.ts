import { EVENT_SCHEMAS, kindOf, partsOfUnion, type Schema } from "./event-schema.ts";
import type { TransportEvent } from "./events.ts";

/**
 * Deviations of an event from its type, each as a sentence such as "message.sentAt is not a date". Types do not apply
 * to foreign data: a connector that copied a field of the messenger may pass anything. Pure.
 */
export function findShapeErrors(event: TransportEvent): readonly string[] {
  const check = CHECKS.get(event.kind);
  return check === undefined ? [`kind ${String(event.kind)} is unknown`] : check(event).map(withoutDot);
}

/**
 * What is wrong with a value; each begins with the path below the value. Compiled into nested closures: paths are written
 * only for faults, since every event is checked.
 */
type Check = (value: unknown) => readonly string[];
const NONE: readonly string[] = [];

const withoutDot = (fault: string): string => fault.replace(/^\./, "");

function that(isFine: (value: unknown) => boolean, expected: string): Check {
  const faults = [` is not ${expected}`];
  return (value) => (isFine(value) ? NONE : faults);
}

const [FIRST_MS, LAST_MS] = [Date.UTC(1, 0), Date.UTC(10_000, 0) - 1];
const isDate = (value: unknown): boolean =>
  value instanceof Date && value.getTime() >= FIRST_MS && value.getTime() <= LAST_MS;

function checkOf(schema: Schema): Check {
  if (schema.anyOf !== undefined) return checkOfUnion(schema.anyOf);
  if (schema.enum !== undefined) return checkOfEnum(schema.enum);
  if (schema.const !== undefined) return checkOfEnum([schema.const]);
  switch (schema.type) {
    case "string":
      return checkOfText(schema);
    case "number":
      return that(Number.isFinite, "a finite number");
    case "integer":
      return that((value) => Number.isSafeInteger(value) && Number(value) >= 0, "a whole number from 0");
    case "date":
      return that(isDate, "a date");
    case "array":
      return checkOfList(checkOf(schema.items ?? {}));
    case "object":
      return checkOfObject(schema);
    default:
      return () => NONE;
  }
}

function checkOfText({ minLength = 0, maxLength = Infinity }: Schema): Check {
  const empty = minLength === 0 ? "" : " that is not empty";
  const long = maxLength === Infinity ? "" : ` and has at most ${maxLength} characters`;
  return that(
    (value) => typeof value === "string" && value.length >= minLength && value.length <= maxLength,
    `a text${empty}${long}`,
  );
}

function checkOfEnum(values: readonly unknown[]): Check {
  const known = new Set(values);
  return that(
    (value) => known.has(value),
    values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`,
  );
}

function checkOfList(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return [" is not a list"];
    return value.flatMap((each, index) => check(each).map((fault) => `[${index}]${fault}`));
  };
}

function checkOfObject({ properties = {}, required = [] }: Schema): Check {
  const checks = Object.entries(properties).map(([name, schema]) => ({
    name,
    check: checkOf(schema),
    isOptional: !required.includes(name),
  }));
  return (value) => {
    if (typeof value !== "object" || value === null) return [" is not an object"];
    const fields = value as Readonly<Record<string, unknown>>;
    let faults = NONE;
    for (const { name, check, isOptional } of checks) {
      const field = fields[name];
      if (isOptional && field === undefined) continue;
      const found = check(field);
      if (found.length > 0) faults = [...faults, ...found.map((fault) => `.${name}${fault}`)];
    }
    return faults;
  };
}

function checkOfUnion(variants: readonly Schema[]): Check {
  const { nullable, key, kinds } = partsOfUnion(variants);
  if (nullable !== undefined) {
    const check = checkOf(nullable);
    return (value) => (value === null ? NONE : check(value));
  }
  const checks = new Map([...kinds].map(([kind, schema]) => [kind, checkOf(schema)]));
  return (value) => checks.get(kindOf(value, key))?.(value) ?? [`.${key} is unknown`];
}

const CHECKS: ReadonlyMap<string, Check> = new Map(
  [...EVENT_SCHEMAS].map(([kind, schema]) => [kind, checkOf(schema)]),
);
