export type Snake<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : S;
type Camel<S extends string> = S extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<Camel<Rest>>}`
  : S;

/** The type with snake_case keys, as in v2, at any depth. */
export type SnakeKeys<T> = T extends readonly (infer Item)[]
  ? SnakeKeys<Item>[]
  : T extends object
    ? { [K in keyof T as K extends string ? Snake<K> : never]: SnakeKeys<T[K]> }
    : T;
type CamelKeys<T> = T extends readonly (infer Item)[]
  ? CamelKeys<Item>[]
  : T extends object
    ? { [K in keyof T as K extends string ? Camel<K> : never]: CamelKeys<T[K]> }
    : T;

/** `contactData[0].chatId` → `contact_data[0].chat_id` */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

export function withSnakeKeys<T>(value: T): SnakeKeys<T> {
  return renamed(value, snakeCase) as SnakeKeys<T>;
}

export function withCamelKeys<T>(value: T): CamelKeys<T> {
  return renamed(value, camelCase) as CamelKeys<T>;
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [rename(name), renamed(inner, rename)]),
  );
}
