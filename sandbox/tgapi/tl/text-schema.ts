import {
  type Combinator,
  camelCase,
  currentSchema,
  type Parameter,
  Schema,
  serviceCombinators,
} from "./schema.ts";

/** Types without a constructor. */
const builtIn = new Set(["boolFalse", "boolTrue", "true", "vector"]);

/**
 * Parses a schema in the TL language, such as `user#3ff6ecb0 flags:# id:long = User;`, so that clients of an older
 * layer get responses in that layer. `---functions---` starts the methods.
 */
export function parseSchema(layer: number, text: string): Schema {
  const combinators: Combinator[] = [];
  let isMethod = false;
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "---functions---") isMethod = true;
    const combinator = parseLine(line, isMethod);
    if (combinator && !builtIn.has(combinator.name)) combinators.push(combinator);
  }
  return new Schema(layer, [...combinators, ...serviceCombinators]);
}

function parseLine(line: string, isMethod: boolean): Combinator | undefined {
  const found = /^([\w.]+)#([0-9a-f]+)\s*(.*?)\s*=\s*([^;]+);/.exec(line);
  if (!found) return undefined;
  const [, name = "", id = "", parameters = "", result = ""] = found;
  const vector = /^Vector<(.+)>$/.exec(result.trim());
  return {
    name,
    id: Number.parseInt(id, 16),
    type: vector?.[1] ?? result.trim(),
    isMethod,
    answersVector: vector !== null,
    parameters: parameters
      .split(/\s+/)
      .filter((each) => each.includes(":") && !each.startsWith("{"))
      .map((each) => parseParameter(name, each)),
  };
}

function parseParameter(owner: string, text: string): Parameter {
  const [rawName = "", declared = ""] = text.split(":");
  const name = camelCase(rawName);
  const conditional = /^(\w+)\.(\d+)\?(.+)$/.exec(declared);
  const type = conditional?.[3] ?? declared;
  const vector = /^[Vv]ector<(.+)>$/.exec(type);
  const bare = (vector?.[1] ?? type).replace(/^!/, "");
  return {
    name,
    // Ids fit into 53 bits, and are numbers in the current schema.
    type: bare === "long" && isNumber(owner, name) ? "int53" : bare,
    isVector: vector !== null,
    isBare: false,
    condition: conditional
      ? { field: camelCase(conditional[1] ?? ""), bit: Number(conditional[2]) }
      : undefined,
  };
}

function isNumber(owner: string, name: string): boolean {
  const current = currentSchema.byName(owner)?.parameters.find((each) => each.name === name);
  return current?.type === "int53";
}
