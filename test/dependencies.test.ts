import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

interface Package {
  readonly version?: string;
  readonly integrity?: string;
  readonly bin?: Record<string, string>;
}

const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Package> };

test("every installed package has a hash in the lockfile", () => {
  const unhashed = Object.entries(packages).filter(([path, { integrity }]) => path !== "" && !integrity);
  expect(unhashed.map(([path]) => path)).toEqual([]);
});

test("npm runs no install script, whatever its version", () => {
  const { allowScripts } = JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> };
  expect(read(".npmrc").split("\n")).toContain("ignore-scripts=true");
  expect(Object.entries(allowScripts).filter(([, allowed]) => allowed)).toEqual([]);
});

/** Platforms for which the registry has a current Node 24; elsewhere the scripts use the machine's own. */
const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64"];

test.each(PLATFORMS)("the lockfile holds Node 24 for %s", (platform) => {
  const runtime = packages[`node_modules/node-${platform}`];
  expect(runtime?.version).toMatch(/^24\./);
  expect(runtime?.bin).toEqual({ node: "bin/node" });
});

test.runIf(PLATFORMS.includes(`${process.platform}-${process.arch}`))(
  "npm's scripts run the Node of the lockfile",
  () => {
    const { bin } = packages[`node_modules/node-${process.platform}-${process.arch}`] ?? {};
    const locked = join(
      ROOT,
      "node_modules",
      `node-${process.platform}-${process.arch}`,
      bin?.["node"] ?? "",
    );
    expect(realpathSync(join(ROOT, "node_modules/.bin/node"))).toBe(realpathSync(locked));
  },
);
