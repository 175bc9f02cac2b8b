import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { findCircles, parseFile } from "../tools/figures/parse.ts";
import vitestConfig from "../vitest.config.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** Where the code of each part may lead. A part is the longest of these paths that a file lies below. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  "src/platform": [],
  "src/database": ["src/platform"],
  "src/config": ["src/core/transport", "src/platform"],
  "src/core/transport": ["src/platform"],
  "src/core": ["src/core/transport", "src/database", "src/platform"],
  "src/transports": ["src/core/transport", "src/platform", "src/transports/kit", "src/transports/meta"],
  // What messengers share: all of them, and those of Meta.
  "src/transports/kit": ["src/core/transport", "src/platform"],
  "src/transports/meta": ["src/core/transport", "src/platform", "src/transports/kit"],
  // What an agent may do, by requests of the interface.
  "src/agent": ["src/core/transport"],
  "src/http": ["src/agent", "src/core", "src/core/transport", "src/database", "src/platform"],
  "src/work": ["src/core", "src/core/transport", "src/database", "src/platform"],
  "src/cli": [
    "src/agent",
    "src/service",
    "src/config",
    "src/core",
    "src/core/transport",
    "src/database",
    "src/platform",
    "src/transports",
  ],
  // Composition: the one place that knows every part.
  "src/service": [
    "src/config",
    "src/core",
    "src/core/transport",
    "src/database",
    "src/http",
    "src/platform",
    "src/transports",
    "src/work",
  ],
  sandbox: ["sandbox/phone/shape"],
  // The types shared by the sandbox and its page.
  "sandbox/phone/shape": [],
  bench: [
    "src/service",
    "sandbox",
    "src/core",
    "src/core/transport",
    "src/database",
    "src/platform",
    // For one that takes a messenger's place.
    "src/transports",
  ],
  soak: ["sandbox", "src/core", "src/core/transport", "src/database", "src/platform", "test"],
  tools: ["src/core/transport", "sandbox"],
  // The pages know the service by what it answers; types of that are made from its description.
  web: [],
  "web/kit": [],
  "web/chat": ["web/kit"],
  "web/connect": ["web/kit"],
  "web/console": ["web/kit"],
  "web/phone": ["web/kit", "sandbox/phone/shape"],
  "web/gallery": ["web/kit"],
  test: ["src/service", "sandbox", "bench"],
};

/**
 * The layers of core with their domains, from below: a domain imports only domains that are named before it, in its own
 * layer too. `GROUND` are the files of core itself, `TOP` those that know all domains.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  contract: ["transport"],
  ground: ["GROUND"],
  payload: ["payload"],
  outbox: ["event"],
  account: ["statistics", "quota", "audit", "directory", "account", "oauth", "operator"],
  conversation: [
    "dead-letter",
    "channel-log",
    "file",
    "chat",
    "channel",
    "pacing",
    "phone",
    "ownership",
    "template",
    "crm",
    "message",
    "group",
    "history",
    "reading",
    "inbound",
    "sign-in",
  ],
  delivery: ["delivery"],
  page: ["page-ticket", "canned-answer", "inbox", "live"],
  operation: ["key", "export", "node", "transfer", "move", "takeover", "console", "alert"],
  composition: ["TOP"],
};
const DOMAINS = Object.values(LAYERS).flat();
const TOP = ["src/core/core.ts", "src/core/compose.ts"];

const SHARED = ["kit", "meta"];
const MESSENGERS = readdirSync(join(ROOT, "src/transports"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !SHARED.includes(entry.name))
  .map(({ name }) => name);

interface Import {
  readonly from: string;
  readonly to: string;
}

function filesOf(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
    .map((name) => join(directory, name));
}

/** Tests drive the real thing against the sandbox, so they may lead anywhere. */
const isTest = (file: string): boolean => /\.test\.ts$|\/testing\.ts$|test-kit\.ts$/.test(file);

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+\.tsx?)"/g)].map(([, path = ""]) => ({
    from: file,
    to: relative(ROOT, resolve(ROOT, dirname(file), path)),
  }));
}

function partOf(file: string): string {
  const parts = Object.keys(ARROWS).filter((part) => file.startsWith(`${part}/`) || file === `${part}.ts`);
  const longest = parts.toSorted((a, b) => b.length - a.length)[0];
  if (longest === undefined) throw new Error(`${file} belongs to no part of the house: name it in ARROWS`);
  return longest;
}

function isAllowed({ from, to }: Import): boolean {
  const [source, target] = [partOf(from), partOf(to)];
  return source === target || (ARROWS[source] ?? []).includes(target);
}

/** Null: not in core. */
function domainOf(file: string): string | null {
  if (!file.startsWith("src/core/")) return null;
  if (TOP.includes(file)) return "TOP";
  const [first = "", second] = file.slice("src/core/".length).split("/");
  return second === undefined ? "GROUND" : first;
}

function isDownward({ from, to }: Import): boolean {
  const [source, target] = [domainOf(from), domainOf(to)];
  if (source === null || target === null || source === target) return true;
  return DOMAINS.indexOf(target) < DOMAINS.indexOf(source);
}

/** Objects of these classes do not change, or only if they are empty at first. */
const CONSTANT =
  "(?:Map|Set)(?:<[^;]*?>)?\\((?!\\))|Uint8Array\\(\\)|(?:RegExp|Date|TextEncoder|TextDecoder|Intl\\.Segmenter)\\b";
/** Mutable state of a module: a variable, or an object that is filled later. */
const STATE = new RegExp(
  `^(?:export )?(?:let |const \\w+(?:: (?!Readonly)[^=]*)? = (?:create[A-Z]\\w*\\(|new (?!${CONSTANT})))`,
  "m",
);

const isWithoutSql = (file: string): boolean =>
  file.startsWith("src/") && !file.startsWith("src/core/") && !file.startsWith("src/database/");

/** Declared statements, texts of queries other than settings of a transaction, and statements in constants. */
const SQL = [
  /\bsql\(/,
  /\.query(<[^;]*?>)?\(\s*["'`](?!set local )/,
  /["'`]\s*(select\s[^"'`]*\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s)/,
];
const hasSql = (text: string): boolean => SQL.some((pattern) => pattern.test(text));

const code = ["src", "sandbox", "bench", "soak", "tools", "web"]
  .flatMap(filesOf)
  .filter((file) => !isTest(file));

describe("arrows", () => {
  const imports = code.flatMap(importsOf);

  test("there are imports to look at", () => {
    expect(imports.length).toBeGreaterThan(300);
  });

  test("nobody imports what lies above", () => {
    expect(imports.filter((each) => !isAllowed(each)).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("the domains of core are all named, each in one layer", () => {
    const domains = new Set(code.map(domainOf).filter((domain) => domain !== null));
    expect(DOMAINS.toSorted()).toEqual([...domains].toSorted());
  });

  test("domains of core import only domains below them", () => {
    expect(imports.filter((each) => !isDownward(each)).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test.each([
    [{ from: "src/core/message/send.ts", to: "src/core/chat/chats.ts" }, true],
    [{ from: "src/core/chat/chats.ts", to: "src/core/message/send.ts" }, false],
    [{ from: "src/core/event/publish.ts", to: "src/core/payload/facts.ts" }, true],
    [{ from: "src/core/oauth/grants.ts", to: "src/core/delivery/receiver/grant-end.ts" }, false],
    [{ from: "src/core/errors.ts", to: "src/core/scope.ts" }, true],
    [{ from: "src/core/base.ts", to: "src/core/account/tokens.ts" }, false],
    [{ from: "src/core/live/hub.ts", to: "src/core/core.ts" }, false],
    [{ from: "src/core/compose.ts", to: "src/core/live/hub.ts" }, true],
  ])("downward, %j: %s", (arrow, expected) => {
    expect(isDownward(arrow)).toBe(expected);
  });

  test("modules keep no state: what is remembered belongs to a node, and is made with it", () => {
    const isStateless = (file: string): boolean => /^src\/(core|http|work)\//.test(file);
    expect(
      code
        .filter((file) => isStateless(file) && STATE.test(readFileSync(join(ROOT, file), "utf8")))
        .toSorted(),
    ).toEqual([
      // The actor of the current asynchronous work.
      "src/core/audit/actor.ts",
      // The kit of tests: numbers its messages.
      "src/core/transport/conformance/kept-probe.ts",
      // The message that the current asynchronous work is about.
      "src/core/transport/current-message.ts",
    ]);
  });

  test.each([
    ["const limiters = new WeakMap<Base, Limiter>();", true],
    ["const known = new Map();", true],
    ["let last = 0;", true],
    ["export let last = 0;", true],
    ["const connections = createRateLimiter({ perSecond: 16 });", true],
    ["const turns = new ConcurrencyLimit({ maxConcurrent: 1 });", true],
    ["const seen: Cache<string, true> = new Cache({ maxEntries: 5 });", true],
    ["const NAMES = new Set(['a']);", false],
    ["const NONE: ReadonlySet<string> = new Set();", false],
    ["const BY_NAME = new Map(NAMES.map((name) => [name, 1]));", false],
    ["const CURSOR = new RegExp('a');", false],
    ["function work() {\n  let last = 0;\n  const own = new Map();\n}", false],
  ])("state is recognised in %j: %s", (text, expected) => {
    expect(STATE.test(text)).toBe(expected);
  });

  test("domains take what they need, not all of core", () => {
    const whole = imports.filter(({ from, to }) => from.startsWith("src/core/") && to === "src/core/core.ts");
    expect(whole.map(({ from }) => from)).toEqual(["src/core/compose.ts"]);
  });

  test("domains report facts; only `publish` turns them into what receivers are told", () => {
    const builders = imports.filter(
      ({ from, to }) =>
        /^src\/core\/payload\/.*(payloads|events-of)\.ts$/.test(to) && !from.startsWith("src/core/payload/"),
    );
    expect(builders.map(({ from }) => from).toSorted()).toEqual([
      // Asks which kinds a request would have had.
      "src/core/crm/publish-requests.ts",
      "src/core/event/publish.ts",
    ]);
    const appending = code.filter(
      (file) => file.startsWith("src/") && /\bappendEvents\b/.test(readFileSync(join(ROOT, file), "utf8")),
    );
    expect(appending.toSorted()).toEqual(["src/core/event/log.ts", "src/core/event/publish.ts"]);
  });

  test("secrets are compared in one place", () => {
    const comparing = code.filter(
      (file) => file.startsWith("src/") && readFileSync(join(ROOT, file), "utf8").includes("timingSafeEqual"),
    );
    expect(comparing).toEqual(["src/platform/same.ts"]);
  });

  test("only the domains and the database contain SQL: a statement is in the domain of its tables", () => {
    expect(
      code.filter((file) => isWithoutSql(file) && hasSql(readFileSync(join(ROOT, file), "utf8"))),
    ).toEqual([]);
  });

  test.each([
    ['const FIND = sql("node_find", TEXT);', true],
    ['await db.query("vacuum analyze");', true],
    ["await tx.query<{ id: string }>(\n  `lock table nodes`,\n);", true],
    ['const OLD = "delete from nodes";', true],
    ["const FIND = `\n  select id from nodes`;", true],
    ["const ADD = `with added as (insert into nodes default values returning id)`;", true],
    ["await tx.query(`set local statement_timeout = 5`);", false],
    ["await tx.query(statement, values);", false],
    ['throw new Error("select a file with an extension");', false],
  ])("SQL is recognised in %j: %s", (text, expected) => {
    expect(hasSql(text)).toBe(expected);
  });

  test("transports do not know each other", () => {
    const folder = (file: string): string | undefined => /^src\/transports\/([^/]+)\//.exec(file)?.[1];
    const crossing = imports.filter(({ from, to }) => {
      const [source, target] = [folder(from), folder(to)];
      return source !== undefined && target !== undefined && source !== target && !SHARED.includes(target);
    });
    expect(crossing).toEqual([]);
  });

  test.each(["src", "sandbox", "web", "soak", "bench"])(
    "no files of %s import each other in a circle, types included",
    (part) => {
      const files = code.filter((file) => file.startsWith(`${part}/`)).map((file) => parseFile(ROOT, file));
      expect(findCircles(files)).toEqual([]);
    },
  );

  test("a circle is found", () => {
    const file = (path: string, imports: readonly string[]) => {
      return { path, imports, lines: 1, commentLines: 0, functions: [], classes: [], casts: 0 };
    };
    const files = [
      file("a.ts", ["b.ts", "d.ts"]),
      file("b.ts", ["c.ts"]),
      file("c.ts", ["a.ts"]),
      file("d.ts", []),
    ];
    expect(findCircles(files)).toEqual([["a.ts", "b.ts", "c.ts"]]);
  });

  test.each([
    [{ from: "src/core/message/send.ts", to: "src/http/server.ts" }, false],
    [{ from: "src/transports/telegram/index.ts", to: "src/database/database.ts" }, false],
    [{ from: "src/transports/telegram/index.ts", to: "src/core/core.ts" }, false],
    [{ from: "src/transports/telegram/index.ts", to: "src/transports/kit/secret.ts" }, true],
    [{ from: "src/transports/kit/secret.ts", to: "src/transports/telegram/index.ts" }, false],
    [{ from: "src/transports/kit/secret.ts", to: "src/transports/meta/error.ts" }, false],
    [{ from: "src/core/transport/errors.ts", to: "src/core/errors.ts" }, false],
    [{ from: "sandbox/server.ts", to: "src/platform/ids.ts" }, false],
    [{ from: "src/http/server.ts", to: "src/core/core.ts" }, true],
    [{ from: "src/service/service.ts", to: "src/transports/index.ts" }, true],
    [{ from: "web/connect/qr.tsx", to: "web/kit/button.tsx" }, true],
    [{ from: "web/kit/button.tsx", to: "web/connect/qr.tsx" }, false],
    [{ from: "web/connect/qr.tsx", to: "src/core/core.ts" }, false],
  ])("%j: %s", (arrow, allowed) => {
    expect(isAllowed(arrow)).toBe(allowed);
  });
});

test("each test file belongs to one project, so that `npm test` runs it once", () => {
  const matches = (file: string, patterns: readonly string[]): boolean =>
    patterns.some((pattern) => matchesGlob(file, pattern));
  const projectCount = (file: string): number =>
    projectsOf(vitestConfig).filter(
      ({ test: { include, exclude = [] } }) => matches(file, include) && !matches(file, exclude),
    ).length;
  const files = ["src", "sandbox", "bench", "soak", "tools", "web", "test"]
    .flatMap(filesOf)
    .filter((file) => /\.test\.tsx?$/.test(file));
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => projectCount(file) !== 1)).toEqual([]);
});

interface Project {
  readonly test: { readonly include: readonly string[]; readonly exclude?: readonly string[] };
}

const projectsOf = (config: unknown): readonly Project[] =>
  (config as { test: { projects: readonly Project[] } }).test.projects;

describe("messengers have no names outside of their folders", () => {
  const parts = ["src/core", "src/http", "src/work", "src/database", "src/platform"];
  // The interface's own lists of names, and the examples of its documentation.
  const vocabulary = ["src/core/transport/definition.ts", "src/core/payload/examples.ts"];
  const files = parts.flatMap(filesOf).filter((file) => !isTest(file) && !vocabulary.includes(file));
  test.each(files)("%s", (file) => {
    const text = readFileSync(join(ROOT, file), "utf8").toLowerCase();
    expect(MESSENGERS.filter((name) => new RegExp(`["'\`]${name}["'\`]`).test(text))).toEqual([]);
  });
});
