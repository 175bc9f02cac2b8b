import { clipText, isLonger } from "./clipped-text.ts";
import { EVENT_SCHEMAS, kindOf, partsOfUnion, type Schema } from "./event-schema.ts";
import type { LinkState, TransportEvent } from "./events.ts";
import { limitOf, type TextLimit } from "./text-schema.ts";

/** Limit of a text that is stored with its message, in bytes of UTF-8. No messenger's own limit is higher. */
export const MAX_TEXT_BYTES = 64 * 1024;
/** Limit of a name, title or description that a person reads in one line. */
export const MAX_NAME_BYTES = 1024;
/** Limit of an address. */
const MAX_URL_BYTES = 8 * 1024;
/** The end of a text that was cut. */
const CUT_MARK = "…";

export interface BoundedEvent {
  readonly event: TransportEvent;
  /** The texts that were cut, whole; null: none. */
  readonly whole: string | null;
}

/**
 * The event with every text of a size that can be stored, published and displayed together with others. Types do not
 * limit what a messenger, and so any person, can write. Names are cut without a trace. Expects an event without shape
 * errors. Pure.
 */
export function boundEvent(event: TransportEvent): BoundedEvent {
  const cut: string[] = [];
  const bounded = boundKind(event, (text) => {
    if (!isLonger(text, MAX_TEXT_BYTES)) return text;
    cut.push(text);
    return clipText(text, MAX_TEXT_BYTES - Buffer.byteLength(CUT_MARK)) + CUT_MARK;
  });
  return { event: bounded, whole: cut.length === 0 ? null : cut.join("\n\n") };
}

type Cut = (text: string) => string;

const name: Cut = (text) => clipText(text, MAX_NAME_BYTES);

/** The value within its limits: the same value if it is. Undefined: it is left out. */
type Bound = (value: unknown, cut: Cut) => unknown;

/** Null if the schema has no text with a limit. */
function boundOf(schema: Schema): Bound | null {
  const limit = limitOf(schema);
  if (limit !== undefined)
    return (value, cut) => (typeof value === "string" ? LIMITS[limit](value, cut) : value);
  if (schema.anyOf !== undefined) return boundOfUnion(schema.anyOf);
  if (schema.items !== undefined) return boundOfList(boundOf(schema.items));
  return schema.properties === undefined ? null : boundOfObject(schema);
}

const LIMITS: Readonly<Record<TextLimit, (text: string, cut: Cut) => string | undefined>> = {
  text: (text, cut) => cut(text),
  name,
  address: (text) => clipText(text, MAX_URL_BYTES),
  link: (text) => (isLonger(text, MAX_URL_BYTES) ? undefined : text),
};

function boundOfObject({ properties = {}, additionalProperties }: Schema): Bound | null {
  const bounds = Object.entries(properties).flatMap(([field, schema]) => {
    const bound = boundOf(schema);
    return bound === null ? [] : [{ field, bound }];
  });
  const others = typeof additionalProperties === "object" ? boundOf(additionalProperties) : null;
  if (bounds.length === 0 && others === null) return null;
  const boundsFor = (value: object): typeof bounds => [
    ...bounds,
    ...Object.keys(value).flatMap((field) =>
      others === null || Object.hasOwn(properties, field) ? [] : [{ field, bound: others }],
    ),
  ];
  return (value, cut) => {
    let changed = value as Readonly<Record<string, unknown>>;
    for (const { field, bound } of others === null ? bounds : boundsFor(changed)) {
      const part = changed[field];
      if (part === undefined) continue;
      const bounded = bound(part, cut);
      if (bounded !== part) changed = withField(changed, field, bounded);
    }
    return changed;
  };
}

function withField(object: Readonly<Record<string, unknown>>, field: string, value: unknown) {
  const { [field]: _former, ...rest } = object;
  return value === undefined ? rest : { ...object, [field]: value };
}

function boundOfList(bound: Bound | null): Bound | null {
  if (bound === null) return null;
  return (value, cut) => {
    const items = value as readonly unknown[];
    const bounded = items.map((each) => bound(each, cut));
    return bounded.every((each, index) => each === items[index]) ? items : bounded;
  };
}

function boundOfUnion(variants: readonly Schema[]): Bound | null {
  const { nullable, key, kinds } = partsOfUnion(variants);
  if (nullable !== undefined) {
    const bound = boundOf(nullable);
    return bound === null ? null : (value, cut) => (value === null ? null : bound(value, cut));
  }
  const bounds = new Map([...kinds].map(([kind, schema]) => [kind, boundOf(schema)]));
  return (value, cut) => bounds.get(kindOf(value, key))?.(value, cut) ?? value;
}

const BOUNDS: ReadonlyMap<string, Bound | null> = new Map(
  [...EVENT_SCHEMAS].map(([kind, schema]) => [kind, boundOf(schema)]),
);

function boundKind(event: TransportEvent, cut: Cut): TransportEvent {
  if (event.kind === "link") return { ...event, state: stateOf(event.state) };
  return (BOUNDS.get(event.kind)?.(event, cut) ?? event) as TransportEvent;
}

function stateOf(state: LinkState): LinkState {
  if (state.status === "lost") return { ...state, detail: name(state.detail) };
  if (state.status === "active") {
    const { profile } = state;
    const named = some(profile, ["name", "username", "phone"], name);
    return { ...state, profile: { ...withoutLong(profile, "url"), ...named } };
  }
  return state.status === "init" && state.reason === "wait_for_password"
    ? { ...state, ...some(state, ["hint"], name) }
    : state;
}

/** These fields of an object, as far as it has them, through `change`. */
function some<T extends object, K extends keyof T>(
  object: T,
  keys: readonly K[],
  change: Cut,
): { [P in K]: T[P] } {
  const changed = keys.flatMap((key) => {
    const value = object[key];
    return typeof value === "string" ? [[key, change(value)] as const] : [];
  });
  return Object.fromEntries(changed) as { [P in K]: T[P] };
}

/** An address that is cut leads nowhere, so that one over the limit is left out. */
function withoutLong<T extends object, K extends keyof T>(object: T, key: K): T {
  const { [key]: address, ...rest } = object;
  return typeof address === "string" && isLonger(address, MAX_URL_BYTES) ? (rest as T) : object;
}
