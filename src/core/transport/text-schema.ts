import { type TSchema, type TString, Type } from "typebox";

/**
 * What becomes of a text that a person wrote longer than we store (`bounded-event.ts`): `text` is cut, and kept whole in
 * a file; `name` and `address` are cut; a `link` is left out, since it would lead nowhere.
 */
export type TextLimit = "text" | "name" | "address" | "link";

const LIMIT = "~limit";

/** The schema, with the limit of its texts. It is hidden from descriptions of the interface. */
export function cutTo<T extends TSchema>(limit: TextLimit, schema: T): T {
  return Object.defineProperty(schema, LIMIT, { value: limit, enumerable: false });
}

export function limitOf(schema: TSchema): TextLimit | undefined {
  return (schema as { readonly [LIMIT]?: TextLimit })[LIMIT];
}

type TextOf = (description?: string) => TString;
const textOf =
  (limit: TextLimit, options: { readonly minLength?: number } = {}): TextOf =>
  (description) =>
    cutTo(limit, Type.String(description === undefined ? options : { ...options, description }));

/** Any text of a person. */
export const words = textOf("text");
/** What is read in one line; may be empty. */
export const name = textOf("name");
/** The same, but not empty. */
export const title = textOf("name", { minLength: 1 });
export const address = textOf("address");
/** An optional address. */
export const link = textOf("link");
