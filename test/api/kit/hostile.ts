import type { BodyLimit } from "../../../src/http/limit/limits.ts";
import type { JsonSchema } from "../../../src/http/openapi/json-schema.ts";

/** What lists are filled with: each makes the validator name other faults. */
const ITEMS: Readonly<Record<string, (item: JsonSchema) => string>> = {
  "empty objects": () => "{}",
  zeros: () => "0",
  "invalid fields": (item) => JSON.stringify(fieldsOf(item, () => ({}))),
  "long texts": (item) => JSON.stringify(fieldsOf(item, () => "\u0001".repeat(250))),
};

/** Bodies that cost as much as a limit lets pass, or a little more than it, by what they are made of. */
export function hostileBodies(schema: JsonSchema, limit: BodyLimit): (readonly [string, string])[] {
  const all = [...bodiesOf(schema, limit.bytes), ...bodiesOf(schema, limit.values)];
  return all.filter(([, body]) => Buffer.byteLength(body) <= limit.bytes);
}

/** Bodies of about that length. */
function* bodiesOf(schema: JsonSchema, bytes: number): Generator<readonly [string, string]> {
  for (const [kind, fill] of Object.entries(ITEMS)) {
    yield [`a list of ${kind}`, filled("[", fill({}), bytes, "]")];
    for (const { path, list, wrap, copies } of listsOf(schema)) {
      const item = fill(list.items ?? {});
      const room = bytes / copies - 100;
      const allowed = Math.min(list.maxItems ?? 0, Math.max(0, Math.floor(room / (item.length + 1))));
      yield [`${path} with all its ${kind}`, wrap(listOf(item, allowed))];
      yield [`${path} with too many ${kind}`, wrap(filled("[", item, room, "]"))];
    }
  }
  yield ["unknown fields", filled("{", (index) => `"k${index}":0`, bytes, "}")];
  yield ["fields that are numbers", filled("{", (index) => `"${index * 65_536}":0`, bytes, "}")];
  yield ["lists in lists", "[".repeat(bytes / 2) + "]".repeat(bytes / 2)];
  yield ["nulls", filled('{"a":[', "null", bytes, "]}")];
  yield ["prototypes", filled("[", '{"__proto__":{"constructor":{"prototype":0}}}', bytes, "]")];
  for (const [kind, text] of Object.entries({ spaces: " ", escapes: "\\u0001", slashes: "/", digits: "1" }))
    yield [`texts of ${kind}`, textsOf(schema, text, bytes)];
}

function listOf(item: string, count: number): string {
  return `[${Array.from({ length: count }, () => item).join()}]`;
}

/** As many items as there is room for. */
function filled(begin: string, item: string | ((index: number) => string), bytes: number, end: string) {
  const items: string[] = [];
  let room = bytes - begin.length - end.length;
  for (let index = 0; ; index++) {
    const next = typeof item === "string" ? item : item(index);
    room -= next.length + 1;
    if (room < 0) return begin + items.join() + end;
    items.push(next);
  }
}

function fieldsOf({ properties = {} }: JsonSchema, value: (field: JsonSchema) => unknown) {
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, value(field)]));
}

interface ListPlace {
  readonly path: string;
  readonly list: JsonSchema;
  /** The body with this in the list's place. */
  readonly wrap: (list: string) => string;
  /** How often it stands there. */
  readonly copies: number;
}

/** Every list of the schema; of a list in a list, in each item of that one. */
function* listsOf(
  schema: JsonSchema,
  path = "body",
  wrap: (value: string) => string = (value) => value,
  copies = 1,
): Generator<ListPlace> {
  if (schema.items !== undefined) {
    yield { path, list: schema, wrap, copies };
    const count = Math.min(schema.maxItems ?? 1, 100);
    const again = (item: string) => wrap(listOf(item, count));
    yield* listsOf(schema.items, `${path}[]`, again, copies * count);
  }
  for (const [name, field] of Object.entries(schema.properties ?? {}))
    yield* listsOf(field, `${path}.${name}`, (value) => wrap(`{${JSON.stringify(name)}:${value}}`), copies);
}

/** Every text of the body's first level as long as there is room for. */
function textsOf({ properties = {} }: JsonSchema, text: string, bytes: number): string {
  const names = Object.keys(properties);
  const length = Math.max(0, bytes / Math.max(1, names.length) - 40);
  const long = text.repeat(Math.floor(length / text.length));
  return `{${names.map((name) => `${JSON.stringify(name)}:"${long}"`).join()}}`;
}
