import { badParam } from "./graph-error.ts";

/** What an object of the Graph API can tell of itself. */
export interface NodeType {
  readonly name: string;
  /** Told without being asked. `id` always is. */
  readonly defaults: readonly string[];
}

/** Picks what `fields` asks for; a field that the object does not have is refused. */
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

/** `a,b{c,d}` → `["a", "b"]`; what stands in braces is not looked into. */
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
