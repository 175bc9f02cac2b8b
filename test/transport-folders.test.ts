import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const SHARED = ["kit", "meta"];
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const isThere = (path: string): boolean => existsSync(join(ROOT, path));

const messengers = readdirSync(join(ROOT, "src/transports"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !SHARED.includes(entry.name))
  .map(({ name }) => name);

/** What docs/adding-a-transport.md promises of each messenger's folders. */
const promised = (name: string): string[] => [
  `src/transports/${name}/definition.ts`,
  `src/transports/${name}/index.ts`,
  `src/transports/${name}/session.ts`,
  `src/transports/${name}/outbound.ts`,
  `src/transports/${name}/outbound.test.ts`,
  `src/transports/${name}/errors.ts`,
  `src/transports/${name}/errors.test.ts`,
  `src/transports/${name}/${name}.test.ts`,
  `src/transports/${name}/samples`,
  `sandbox/${name}/index.ts`,
  `sandbox/${name}/walk.ts`,
  `sandbox/${name}/crowd.ts`,
  `docs/transports/${name}.md`,
];

describe.each(messengers)("the folders of %s", (name) => {
  test("have what the guide promises", () => {
    expect(promised(name).filter((path) => !isThere(path))).toEqual([]);
  });

  test("hold samples of what the messenger sends", () => {
    expect(readdirSync(join(ROOT, "src/transports", name, "samples")).length).toBeGreaterThan(0);
  });

  test("have a definition that is plain data, safe in a browser", () => {
    const imports = [...read(`src/transports/${name}/definition.ts`).matchAll(/from "([^"]+)"/g)];
    const allowed = ["typebox", "../../core/transport/definition.ts"];
    expect(imports.map(([, from = ""]) => from).filter((from) => !allowed.includes(from))).toEqual([]);
  });

  test("run the conformance kit", () => {
    expect(read(`src/transports/${name}/${name}.test.ts`)).toContain("describeTransport(");
  });

  test("are documented, and found from the README", () => {
    expect(read(`docs/transports/${name}.md`)).toMatch(new RegExp(`^# .*\\(\`${name}\`\\)\\n`));
    expect(read("README.md")).toContain(`(docs/transports/${name}.md)`);
  });
});

test("every page and every row of the README is of a messenger that is there", () => {
  const pages = readdirSync(join(ROOT, "docs/transports")).map((file) => file.replace(/\.md$/, ""));
  const rows = [...read("README.md").matchAll(/\(docs\/transports\/(\w+)\.md\)/g)].map(([, name]) => name);
  expect(pages.toSorted()).toEqual(messengers.toSorted());
  expect([...new Set(rows)].toSorted()).toEqual(messengers.toSorted());
});

test("the guide names what the folders must have", () => {
  const guide = read("docs/adding-a-transport.md");
  const names = promised("<id>").map((path) => path.replace(/^src\/transports\/<id>\//, ""));
  expect(names.filter((path) => !guide.includes(`\`${path}\``))).toEqual([]);
});
