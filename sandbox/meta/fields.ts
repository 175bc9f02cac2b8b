import { badParam } from "./graph-error.ts";

/** The fields of a kind of Graph API object. */
export interface NodeType {
  readonly name: string;
  /** Returned by default. `id` always is. */
  readonly defaults: readonly string[];
}

/** Selects the fields in `fields`; a field that the object does not have is rejected. */
export function selectFields(
  type: NodeType,
  all: Readonly<Record<string, unknown>>,
  fields: string | undefined,
): Readonly<Record<string, unknown>> {
  const wanted = fields === undefined || fields === "" ? type.defaults : parseFields(fields);
  const picked: Record<string, unknown> = {};
  for (const name of wanted) {
    if (!Object.hasOwn(all, name)) {
      throw badParam(`Tried accessing nonexisting field (${name}) on node type (${type.name})`);
    }
    if (all[name] !== undefined) picked[name] = all[name];
  }
  picked["id"] = all["id"];
  return picked;
}

/** `a,b{c,d}` → `["a", "b"]`; the content of braces is ignored. */
function parseFields(fields: string): string[] {
  let depth = 0;
  let flat = "";
  for (const character of fields) {
    if (character === "{") depth++;
    if (depth === 0) flat += character;
    if (character === "}") depth--;
  }
  return flat
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
