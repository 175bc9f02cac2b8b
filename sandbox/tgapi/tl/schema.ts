import { createRequire } from "node:module";

/** One parameter of a combinator. */
export interface Parameter {
  /** In camel case, e.g. `accessHash`. */
  readonly name: string;
  readonly type: string;
  readonly isVector: boolean;
  /** A vector without a constructor id, whose elements have none either. */
  readonly isBare: boolean;
  /** The flags field and the bit that tell whether the parameter is present. */
  readonly condition: { readonly field: string; readonly bit: number } | undefined;
}

/** A constructor or method of the TL schema. */
export interface Combinator {
  readonly name: string;
  readonly id: number;
  /** The type of a constructor, or of a method's result. */
  readonly type: string;
  readonly isMethod: boolean;
  /** A method that returns a vector of its type. */
  readonly answersVector: boolean;
  readonly parameters: readonly Parameter[];
}

/** The combinators of one layer. */
export class Schema {
  readonly layer: number;
  readonly #byId = new Map<number, Combinator>();
  readonly #byName = new Map<string, Combinator>();

  constructor(layer: number, combinators: Iterable<Combinator>) {
    this.layer = layer;
    for (const each of combinators) {
      this.#byId.set(each.id, each);
      this.#byName.set(each.name, each);
    }
  }

  byId(id: number): Combinator | undefined {
    return this.#byId.get(id);
  }

  byName(name: string): Combinator | undefined {
    return this.#byName.get(name);
  }

  [Symbol.iterator](): Iterator<Combinator> {
    return this.#byName.values();
  }
}

interface RawArgument {
  readonly name: string;
  readonly type: string;
  readonly typeModifiers?: {
    readonly predicate?: string;
    readonly isVector?: boolean;
    readonly isBareVector?: boolean;
  };
}

interface RawEntry {
  readonly kind: "class" | "method";
  readonly name: string;
  readonly id: number;
  readonly type: string;
  readonly arguments: readonly RawArgument[];
  readonly typeModifiers?: { readonly isVector?: boolean };
}

const load = createRequire(import.meta.url);
const api = load("@mtcute/core/tl/api-schema.json") as {
  readonly l: number;
  readonly e: readonly RawEntry[];
};
const mtproto = load("@mtcute/core/tl/mtp-schema.json") as readonly RawEntry[];

/** Constructors of the key exchange that old clients still use (core.telegram.org/mtproto/auth_key, before 2021). */
const former: readonly RawEntry[] = [
  rawEntry("class", "mt_p_q_inner_data", 0x83c95aec, "P_Q_inner_data", [
    ["pq", "bytes"],
    ["p", "bytes"],
    ["q", "bytes"],
    ["nonce", "int128"],
    ["server_nonce", "int128"],
    ["new_nonce", "int256"],
  ]),
  rawEntry("method", "mt_req_pq", 0x60469778, "ResPQ", [["nonce", "int128"]]),
];

/** The transport constructors, which are in every layer. */
export const serviceCombinators: readonly Combinator[] = [...mtproto, ...former].map(toCombinator);

/** The layer of the connector's library. */
export const currentSchema = new Schema(api.l, [
  // Additions of the library are not part of Telegram's schema.
  ...api.e.filter(({ name }) => !name.startsWith("mtcute.")).map(toCombinator),
  ...serviceCombinators,
]);

/** `access_hash` becomes `accessHash`, as in the types of mtcute. */
export function camelCase(name: string): string {
  return name.replace(/_([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function toCombinator(entry: RawEntry): Combinator {
  return {
    name: entry.name,
    id: entry.id >>> 0,
    type: entry.type,
    isMethod: entry.kind === "method",
    answersVector: entry.typeModifiers?.isVector === true,
    parameters: entry.arguments.map(toParameter),
  };
}

function toParameter({ name, type, typeModifiers = {} }: RawArgument): Parameter {
  const [field = "", bit] = typeModifiers.predicate?.split(".") ?? [];
  return {
    name: camelCase(name),
    type: type.replace(/^!/, ""),
    isVector: typeModifiers.isVector === true || typeModifiers.isBareVector === true,
    isBare: typeModifiers.isBareVector === true,
    condition: bit === undefined ? undefined : { field: camelCase(field), bit: Number(bit) },
  };
}

function rawEntry(
  kind: RawEntry["kind"],
  name: string,
  id: number,
  type: string,
  parameters: readonly (readonly [string, string])[],
): RawEntry {
  return { kind, name, id, type, arguments: parameters.map(([each, of]) => ({ name: each, type: of })) };
}
