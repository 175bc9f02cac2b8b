/** As many as are named. */
const MAX_PATHS = 20;
/** Deeper than any body of the interface; what lies below is refused as it is. */
const MAX_DEPTH = 50;

/** Paths of texts and of names of fields that have a NUL character, or may have one somewhere below, which the database cannot store. Pure. */
export function nulPaths(value: unknown): string[] {
  const paths: string[] = [];
  const look = (each: unknown, path: string, depth: number): void => {
    if (paths.length >= MAX_PATHS) return;
    if (depth > MAX_DEPTH) {
      paths.push(path);
      return;
    }
    if (typeof each === "string") {
      if (each.includes("\0")) paths.push(path === "" ? "body" : path);
    } else if (Array.isArray(each)) {
      for (const [index, item] of each.entries()) look(item, `${path}[${index}]`, depth + 1);
    } else if (typeof each === "object" && each !== null) {
      for (const [name, field] of Object.entries(each)) {
        const place = path === "" ? name : `${path}.${name}`;
        if (name.includes("\0")) paths.push(place.replaceAll("\0", "\ufffd"));
        else look(field, place, depth + 1);
      }
    }
  };
  look(value, "", 0);
  return paths;
}
