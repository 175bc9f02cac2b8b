import type { FastifySchemaValidationError, RouteOptions } from "fastify";
import { AppError } from "../../core/errors.ts";
import type { App } from "../app.ts";
import { fieldsError } from "../schema/fields.ts";
import type { ObjectShape } from "../schema/nulls.ts";
import { type BodyLimit, bodyLimitOf } from "./limits.ts";

/**
 * For the routes registered after it: enforces each route's limit, and counts the items of lists before validating
 * them, because validation reports an error per item.
 */
export function limitBodies(app: App): void {
  app.addHook("onRoute", (route) => {
    route.bodyLimit = bodyLimitOf(route.config).bytes;
    const shape = route.schema?.body as ObjectShape | undefined;
    if (shape === undefined) return;
    const refusal = refusalBy(route);
    const before = [route.preValidation ?? []].flat();
    route.preValidation = [
      ...before,
      async ({ body }) => {
        const overfull = overfullList(shape, body);
        if (overfull !== null) throw refusal(overfull);
      },
    ];
  });
}

/** An error in the format of the route's schema errors. */
function refusalBy({ schemaErrorFormatter: format = fieldsError }: RouteOptions) {
  return (fault: FastifySchemaValidationError): Error => format([fault], "body");
}

/** The first list with more items than its schema allows, as the validator would name it. Pure. */
export function overfullList(
  shape: ObjectShape,
  value: unknown,
  path = "",
): FastifySchemaValidationError | null {
  if (typeof value !== "object" || value === null) return null;
  if (!Array.isArray(value)) return inFields(shape, value as Readonly<Record<string, unknown>>, path);
  const { maxItems: limit = Number.POSITIVE_INFINITY, items } = shape;
  if (value.length > limit)
    return { keyword: "maxItems", instancePath: path, schemaPath: "", params: { limit } };
  // Below a value without a schema nothing can be too long, and the nesting may be deeper than the call stack.
  if (items === undefined) return null;
  return firstOf(value, (item, index) => overfullList(items, item, `${path}/${index}`));
}

function inFields(
  { properties = {} }: ObjectShape,
  value: Readonly<Record<string, unknown>>,
  path: string,
): FastifySchemaValidationError | null {
  return firstOf(Object.entries(properties), ([name, shape]) =>
    Object.hasOwn(value, name) ? overfullList(shape, value[name], `${path}/${name}`) : null,
  );
}

function firstOf<T, R>(items: readonly T[], find: (item: T, index: number) => R | null): R | null {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== null) return found;
  }
  return null;
}

/** The error for a JSON text with more values than the limit; null otherwise. */
export function excessOf(json: string, { values }: BodyLimit): AppError | null {
  if (!hasMoreValues(json, values)) return null;
  return new AppError("BODY_TOO_LARGE", {
    description: `The body has more than ${values} values`,
    data: { maxValues: values },
  });
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [COMMA, LIST, OBJECT] = [0x2c, 0x5b, 0x7b];

/**
 * Whether the JSON text may have more values than `limit`, estimated from its punctuation: never false if it has. An
 * empty list or object counts as two. Pure, and linear in the text's length.
 */
export function hasMoreValues(json: string, limit: number): boolean {
  if (json.length <= limit) return false;
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (char === QUOTE) at = endOfText(json, at);
    else if ((char === COMMA || char === LIST || char === OBJECT) && ++values > limit) return true;
  }
  return false;
}

/** The closing quote of the string that starts at `start`, or the end of the JSON. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = json.indexOf('"', at);
    if (at === -1) return json.length;
    let first = at;
    while (json.charCodeAt(first - 1) === BACKSLASH && first - 1 > start) first--;
    if ((at - first) % 2 === 0) return at;
  }
}
