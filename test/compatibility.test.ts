import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MESSAGE_ERROR_CODES } from "../src/core/transport/errors.ts";
import { DECISION_RULES } from "./compatibility/decision-rules.ts";
import { INTERFACE_RULES } from "./compatibility/interface-rules.ts";
import { ROUTE_TESTS } from "./compatibility/routes.ts";
import type { Chapter, Rule } from "./compatibility/rule.ts";
import { expectSection } from "./kit/generated-page.ts";
import { describeInterface } from "./kit/interface.ts";
import { MESSAGE_ERROR_MEANINGS } from "./kit/message-errors.ts";

const ROOT = new URL("../", import.meta.url);
const PAGE = new URL("docs/compatibility.md", ROOT);
const read = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");
const document = await describeInterface();
const rules = [...INTERFACE_RULES, ...DECISION_RULES].flatMap((chapter) => chapter.rules);

test("every decision has its tests", () => {
  const decided = rules.flatMap(({ id }) => (/^D\d+$/.test(id) ? [Number(id.slice(1))] : []));
  expect(decided).toEqual(Array.from({ length: decided.length }, (_, index) => index + 1));
  expect(decided.length).toBeGreaterThanOrEqual(74);
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
});

test.each(rules.map((rule) => [rule.id, rule] as const))("the tests of %s exist", (_id, { proof }) => {
  for (const [file, titles] of Object.entries(proof)) {
    const source = read(file);
    expect(titles, file).not.toEqual([]);
    expect(
      titles.filter((title) => !hasTitle(source, title)),
      file,
    ).toEqual([]);
  }
  expect(Object.keys(proof)).not.toEqual([]);
});

/** Whether a string literal of the file begins with the title. */
function hasTitle(source: string, title: string): boolean {
  return source.includes(JSON.stringify(title).slice(0, -1)) || source.includes(`\`${title}`);
}

test("docs/compatibility.md has every rule with its tests", () => {
  expectSection(PAGE, "interface", INTERFACE_RULES.map(chapter).join("\n\n"));
  expectSection(PAGE, "decisions", DECISION_RULES.map(chapter).join("\n\n"));
});

function chapter({ title, rules: own }: Chapter): string {
  const rows = own.map((rule) => `| ${rule.id} | ${rule.says} | ${proofOf(rule)} |`);
  return [`### ${title}`, "", "| | Rule | Tests |", "|---|---|---|", ...rows].join("\n");
}

function proofOf({ proof }: Rule): string {
  return Object.entries(proof)
    .map(([file, titles]) => `${link(file)}: ${titles.map(escaped).join("; ")}`)
    .join("<br>");
}

function escaped(title: string): string {
  return title.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

test("every route has its own tests, in addition to the tests of all routes", () => {
  const rows = Object.entries(document.paths).flatMap(([path, operations]) => {
    const files = testsOf(path);
    const links = files.map(link).join(", ");
    return Object.keys(operations).map((method) => `| \`${method.toUpperCase()} ${path}\` | ${links} |`);
  });
  expectSection(PAGE, "routes", ["| Route | Tests |", "|---|---|", ...rows].join("\n"));
});

function testsOf(path: string): readonly string[] {
  const [prefix] = Object.keys(ROUTE_TESTS)
    .filter((start) => path === start || path.startsWith(`${start}/`))
    .toSorted((a, b) => b.length - a.length);
  const files = ROUTE_TESTS[prefix ?? ""] ?? [];
  expect(files, `test/compatibility/routes.ts must name the tests of ${path}`).not.toEqual([]);
  // Tests compose paths, so only the last segment occurs literally.
  const word = path.split("/").findLast((part) => part !== "" && !part.startsWith("{")) ?? "";
  expect(
    files.filter((file) => read(file).includes(word)),
    `${path} is tested there`,
  ).not.toEqual([]);
  return files;
}

function link(file: string): string {
  return `[${file.split("/").at(-1)}](../${file})`;
}

test("the table of routes contains only existing routes", () => {
  const paths = Object.keys(document.paths);
  expect(Object.keys(ROUTE_TESTS).filter((start) => !paths.some((path) => path.startsWith(start)))).toEqual(
    [],
  );
});

test("docs/compatibility.md lists what reports each message error", () => {
  const rows = MESSAGE_ERROR_CODES.map((code) => {
    const givers = placesWith(code, isSource);
    expect(givers.length, `nothing reports ${code}`).toBeGreaterThan(0);
    return `| \`${code}\` | ${MESSAGE_ERROR_MEANINGS[code]} | ${givers.join(", ")} | ${placesWith(code, isTest).join(", ")} |`;
  });
  const head = ["| error | Meaning | Reported by | Tested with |", "|---|---|---|---|"];
  expectSection(PAGE, "message errors", [...head, ...rows].join("\n"));
});

const SERVICE = ["src/work", "src/core/message"];

/** Where the code occurs: the service itself, or the names of transports. */
function placesWith(code: string, wanted: (name: string) => boolean): string[] {
  const has = (folder: string): boolean =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" })
      .filter(wanted)
      .some((name) => read(`${folder}/${name}`).includes(`"${code}"`));
  return [
    ...([...SERVICE, ...(wanted === isTest ? ["test/system"] : [])].some(has) ? ["the service"] : []),
    ...transports().filter((name) => has(`src/transports/${name}`)),
  ];
}

function transports(): string[] {
  const entries = readdirSync(new URL("src/transports", ROOT), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

const isTest = (name: string): boolean => name.endsWith(".test.ts");
const isSource = (name: string): boolean => name.endsWith(".ts") && !isTest(name);
