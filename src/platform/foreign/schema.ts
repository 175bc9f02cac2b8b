import { type Static, type TOptional, type TProperties, type TSchema, type TUnsafe, Type } from "typebox";
import { type Snake, type SnakeKeys, snakeCase } from "./snake-case.ts";

/** The values of a schema; nothing in them can be changed. */
export type Shape<S extends TSchema> = Frozen<Static<S>>;
type Frozen<T> = T extends Date
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Frozen<T[K]> }
      : T;

/** The schema with this type, where the type says more than the schema can. */
export function typed<T>(schema: TSchema): TUnsafe<T> {
  return Type.Unsafe<T>(schema);
}

type SnakeShapes<P extends TProperties> = {
  [K in keyof P & string as Snake<K>]: P[K] extends TOptional
    ? TOptional<TUnsafe<SnakeKeys<Static<P[K]>>>>
    : TUnsafe<SnakeKeys<Static<P[K]>>>;
};

/** The properties with snake_case names, as in v2, at any depth. Values of `withSnakeKeys` fit. */
export function snakeShapes<const P extends TProperties>(properties: P): SnakeShapes<P> {
  const renamed = Object.entries(properties).map(([name, shape]) => [
    snakeCase(name),
    Type.IsOptional(shape) ? Type.Optional(snakeShape(shape)) : snakeShape(shape),
  ]);
  return Object.fromEntries(renamed) as SnakeShapes<P>;
}

/** The same for one schema. Lists and objects are renamed inside. */
export function snakeShape<S extends TSchema>(shape: S): TUnsafe<SnakeKeys<Static<S>>> {
  return Type.Unsafe(renamedShape(shape));
}

function renamedShape(shape: TSchema): TSchema {
  const { properties, required: _required, items, type: _type, ...options } = shape as ObjectSchema;
  if (properties !== undefined) return Type.Object(snakeShapes(properties), options);
  return items === undefined ? shape : Type.Array(snakeShape(items), options);
}

interface ObjectSchema extends TSchema {
  readonly properties?: TProperties;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly type?: string;
}
