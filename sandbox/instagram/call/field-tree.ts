import { badParam } from "../../meta/graph-error.ts";

/** An object of the graph: its name in errors, its default fields, and all its fields. */
export interface Node {
  readonly type: string;
  readonly defaults: readonly string[];
  /** Undefined values are known fields that this object does not have. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A requested field, with its nested selection: `children{media_url}`. */
interface Choice {
  readonly name: string;
  readonly inner: string | undefined;
}

/** Marks a value that is an object of the graph, or a list of objects in `data`. */
class Nested {
  readonly nodes: readonly Node[];
  readonly isList: boolean;

  constructor(nodes: readonly Node[], isList: boolean) {
    this.nodes = nodes;
    this.isList = isList;
  }
}

export function nested(node: Node): Nested {
  return new Nested([node], false);
}

export function nestedList(nodes: readonly Node[]): Nested {
  return new Nested(nodes, true);
}

/** Selects the fields in `fields`; unknown fields are refused. */
export function pickFields(node: Node, fields: string | undefined): Readonly<Record<string, unknown>> {
  const choices = fields ? parse(fields) : node.defaults.map((name) => ({ name, inner: undefined }));
  const picked: Record<string, unknown> = {};
  for (const { name, inner } of choices) {
    if (!Object.hasOwn(node.fields, name)) {
      throw badParam(`Tried accessing nonexisting field (${name}) on node type (${node.type})`);
    }
    const value = node.fields[name];
    if (value !== undefined) picked[name] = value instanceof Nested ? expand(value, inner) : value;
  }
  return { ...picked, id: node.fields["id"] };
}

function expand({ nodes, isList }: Nested, inner: string | undefined): unknown {
  const picked = nodes.map((node) => pickFields(node, inner));
  return isList ? { data: picked } : picked[0];
}

/** `a,b{c,d},e.limit(5){f}` → a, b with `c,d` inside, e with `f` inside. */
function parse(fields: string): Choice[] {
  const choices: Choice[] = [];
  let depth = 0;
  let current = "";
  for (const character of `${fields},`) {
    if (character === "," && depth === 0) {
      if (current.trim() !== "") choices.push(choiceOf(current.trim()));
      current = "";
      continue;
    }
    if (character === "{") depth++;
    if (character === "}") depth--;
    current += character;
  }
  return choices;
}

function choiceOf(text: string): Choice {
  const [, name = text, inner] = /^([\w]+)(?:\.limit\(\d+\))?(?:\{(.*)\})?$/s.exec(text) ?? [];
  return { name, inner };
}
