import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync, Visitor } from "vite";

/** What the figures need to know about one source file. */
export interface ParsedFile {
  /** Relative to the checkout. */
  readonly path: string;
  readonly lines: number;
  /** Lines of comments, without those after code. */
  readonly commentLines: number;
  readonly functions: readonly { readonly line: number; readonly lines: number }[];
  readonly classes: readonly { readonly line: number; readonly lines: number }[];
  /** Type assertions, except `as const`. */
  readonly casts: number;
  /** Relative imports and re-exports, types included, as paths relative to the checkout. */
  readonly imports: readonly string[];
}

const cache = new Map<string, ParsedFile>();

/** Parses a file once. Throws if it is not valid TypeScript. */
export function parseFile(directory: string, path: string): ParsedFile {
  const key = join(directory, path);
  const file = cache.get(key) ?? read(key, path);
  cache.set(key, file);
  return file;
}

function read(file: string, path: string): ParsedFile {
  const source = readFileSync(file, "utf8");
  const { program, module, comments, errors } = parseSync(path, source);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const lineOf = lineFinder(source);
  const functions: { line: number; lines: number }[] = [];
  const addFunction = ({ start, end }: { start: number; end: number }): void => {
    functions.push({ line: lineOf(start), lines: lineOf(end) - lineOf(start) + 1 });
  };
  const classes: { line: number; lines: number }[] = [];
  const addClass = ({ start, end }: { start: number; end: number }): void => {
    classes.push({ line: lineOf(start), lines: lineOf(end) - lineOf(start) + 1 });
  };
  let casts = 0;
  new Visitor({
    ClassDeclaration: addClass,
    ClassExpression: addClass,
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    TSAsExpression: ({ typeAnnotation: { start, end } }) => {
      if (source.slice(start, end) !== "const") casts++;
    },
  }).visit(program);
  const requests = [...module.staticImports, ...module.staticExports.flatMap((each) => each.entries)]
    .flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
    .filter((request) => request.startsWith("."));
  return {
    path,
    lines: lineOf(source.length),
    commentLines: comments
      .filter(({ start }) => source.slice(source.lastIndexOf("\n", start) + 1, start).trim() === "")
      .reduce((total, { start, end }) => total + lineOf(end) - lineOf(start) + 1, 0),
    functions,
    classes,
    casts,
    imports: [...new Set(requests.map((request) => join(dirname(path), request)))],
  };
}

/** Returns a function from an offset to its line, starting at 1. */
function lineFinder(source: string): (offset: number) => number {
  const ends = [...source.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

/** Groups of files that import each other, directly or not (Tarjan's strongly connected components). */
export function findCircles(files: readonly ParsedFile[]): readonly (readonly string[])[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found = new Map<string, { index: number; low: number; open: boolean }>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): { low: number } => {
    const node = { index: found.size, low: found.size, open: true };
    found.set(path, node);
    stack.push(path);
    for (const next of byPath.get(path)?.imports ?? []) {
      if (!byPath.has(next)) continue;
      const known = found.get(next);
      if (known === undefined) node.low = Math.min(node.low, visit(next).low);
      else if (known.open) node.low = Math.min(node.low, known.index);
    }
    if (node.low === node.index) {
      const circle = stack.splice(stack.indexOf(path));
      for (const each of circle) {
        const member = found.get(each);
        if (member !== undefined) member.open = false;
      }
      if (circle.length > 1) circles.push(circle);
    }
    return node;
  };
  for (const path of byPath.keys()) if (!found.has(path)) visit(path);
  return circles;
}
