import { MAX_FAULTS } from "./fields.ts";

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
