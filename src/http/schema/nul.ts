import type { AppError } from "../../core/errors.ts";
import type { App } from "../app.ts";
import { faultyFields, MAX_FAULTS } from "./fields.ts";

/** Many paths may begin with the same long names; longer ones are cut off. */
const MAX_PATH_LENGTH = 500;
/** Deeper than any body of the interface; deeper values are rejected without inspection. */
const MAX_DEPTH = 50;

/**
 * Paths of strings and field names with a NUL character, which the database cannot store, or that are too deep to
 * inspect. Pure.
 */
export function nulPaths(value: unknown): string[] {
  const paths: string[] = [];
  const inspect = (each: unknown, path: string, depth: number): void => {
    if (paths.length >= MAX_FAULTS) return;
    if (depth > MAX_DEPTH) {
      paths.push(path);
      return;
    }
    if (typeof each === "string") {
      if (each.includes("\0")) paths.push(path === "" ? "body" : path);
    } else if (Array.isArray(each)) {
      for (const [index, item] of each.entries()) inspect(item, `${path}[${index}]`, depth + 1);
    } else if (typeof each === "object" && each !== null) {
      for (const [name, field] of Object.entries(each)) {
        const place = (path === "" ? name : `${path}.${name}`).slice(0, MAX_PATH_LENGTH);
        if (name.includes("\0")) paths.push(place.replaceAll("\0", "\ufffd"));
        else inspect(field, place, depth + 1);
      }
    }
  };
  inspect(value, "", 0);
  return paths;
}

/** An error that names the paths of the value with NUL characters; null: there are none. Pure. */
export function nulError(value: unknown): AppError | null {
  const paths = nulPaths(value);
  if (paths.length === 0) return null;
  return faultyFields(paths.map((field) => ({ field, message: "must not have NUL characters" })));
}

/** Refuses requests with NUL characters in a query parameter of the route. Bodies are checked when they are parsed. */
export function refuseNulInQueries(app: App): void {
  app.addHook("preValidation", ({ url, query, routeOptions: { schema } }, _reply, done) => {
    if (!url.includes("%00")) return done();
    const { properties = {} } = (schema?.querystring ?? {}) as { readonly properties?: object };
    const known = Object.entries(query as object).filter(([name]) => Object.hasOwn(properties, name));
    done(nulError(Object.fromEntries(known)) ?? undefined);
  });
}
