/**
 * `npm run figures -- [DIRECTORY]`: the size and shape of the code, of this checkout or of another one, such as a
 * worktree of an earlier commit. Tests and generated files are excluded.
 */

import { globSync } from "node:fs";
import { resolve } from "node:path";
import { findCircles, type ParsedFile, parseFile } from "./figures/parse.ts";

const PARTS = ["src", "sandbox", "web", "bench", "soak", "tools"];
const LONG_FUNCTION = 60;
const directory = resolve(process.argv[2] ?? ".");

console.table(PARTS.map(partRow).filter((row) => row.files > 0));
console.table(PARTS.flatMap(largestFolders));
console.table(domainRows());
console.log(
  `circles of domains in core: ${
    findCircles(domains())
      .map((circle) => circle.length)
      .join(", ") || "none"
  }`,
);
for (const { path, lines } of longest(PARTS.flatMap(filesOf)))
  console.log(`${path}: a file of ${lines} lines`);
for (const { path, lines } of longest(PARTS.flatMap(filesOf).flatMap(classesOf)))
  console.log(`${path}: a class of ${lines} lines`);
for (const circle of PARTS.flatMap((part) => findCircles(filesOf(part))))
  console.log(`circle: ${circle.join(" → ")}`);
for (const part of PARTS)
  for (const { path, functions } of filesOf(part))
    for (const { line, lines } of functions)
      if (lines > LONG_FUNCTION) console.log(`${path}:${line}: a function of ${lines} lines`);

function partRow(part: string) {
  const files = filesOf(part);
  const lines = files.map((file) => file.lines);
  const functions = files.flatMap((file) => file.functions.map((each) => each.lines));
  const comments = sum(files.map((file) => file.commentLines));
  return {
    part,
    files: files.length,
    lines: sum(lines),
    "file p50": quantile(lines, 0.5),
    "file p90": quantile(lines, 0.9),
    "file max": quantile(lines, 1),
    functions: functions.length,
    "function p50": quantile(functions, 0.5),
    "function p90": quantile(functions, 0.9),
    "function max": quantile(functions, 1),
    [`over ${LONG_FUNCTION}`]: functions.filter((each) => each > LONG_FUNCTION).length,
    casts: sum(files.map((file) => file.casts)),
    "comments %": Math.round((100 * comments) / Math.max(1, sum(lines))),
    circles: findCircles(files).length,
  };
}

/** The folders with most files, without those below them. */
function largestFolders(part: string) {
  const counts = Map.groupBy(filesOf(part), ({ path }) => path.slice(0, path.lastIndexOf("/")));
  return [...counts]
    .map(([folder, files]) => ({ folder, files: files.length, lines: sum(files.map((file) => file.lines)) }))
    .sort((a, b) => b.files - a.files)
    .slice(0, 3);
}

/** The domains of core, each as one file that imports other domains. */
function domains(): readonly ParsedFile[] {
  const nameOf = (path: string): string => path.split("/")[2] ?? "";
  const files = filesOf("src").filter(({ path }) => /^src\/core\/[^/]+\//.test(path));
  return [...Map.groupBy(files, ({ path }) => nameOf(path))].map(([path, own]) => ({
    path,
    lines: sum(own.map((file) => file.lines)),
    commentLines: sum(own.map((file) => file.commentLines)),
    functions: own.flatMap((file) => file.functions),
    classes: own.flatMap((file) => file.classes),
    casts: sum(own.map((file) => file.casts)),
    imports: [...new Set(own.flatMap((file) => file.imports.map(nameOf)))].filter((other) => other !== path),
  }));
}

function domainRows() {
  return domains()
    .map(({ path: domain, lines, imports }) => ({ domain, lines, imports: imports.filter(isDomain).length }))
    .sort((a, b) => b.lines - a.lines);
}

function isDomain(name: string): boolean {
  return domains().some(({ path }) => path === name);
}

function classesOf({ path, classes }: ParsedFile) {
  return classes.map(({ line, lines }) => ({ path: `${path}:${line}`, lines }));
}

function longest<T extends { readonly lines: number }>(all: readonly T[]): readonly T[] {
  return all.toSorted((a, b) => b.lines - a.lines).slice(0, 3);
}

function filesOf(part: string): readonly ParsedFile[] {
  const paths = globSync(`${part}/**/*.{ts,tsx}`, { cwd: directory });
  return paths
    .filter((path) => !/\.test\.tsx?$|\/generated\.ts$|\/dist\//.test(path))
    .sort()
    .map((path) => parseFile(directory, path));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The smallest value that at least this share of the values does not exceed; 0 if there are none. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
