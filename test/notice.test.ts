import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

interface Package {
  readonly dev?: boolean;
  readonly license?: string;
}

test("NOTICE names every package that runs with the service", () => {
  const notice = read("NOTICE");
  const { dependencies, optionalDependencies } = JSON.parse(read("package.json")) as {
    dependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };
  const names = [
    ...Object.keys(dependencies),
    ...Object.keys(optionalDependencies).map((name) => name.replace(/\/.*/, "/*")),
  ];
  expect(names.filter((name) => !notice.includes(name))).toEqual([]);
});

test("what they bring along is under the licences that NOTICE says", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Package> };
  const licences = Object.entries(packages)
    .filter(([path, { dev }]) => path !== "" && dev !== true)
    // Older packages state their licence in a form that the lock file does not take over; these two are MIT.
    .filter(([path]) => !/\/(busboy|streamsearch)$/.test(path))
    .map(([, { license }]) => license ?? "none");
  const single = [...new Set(licences.flatMap((licence) => licence.split(" AND ")))].toSorted();
  expect(single).toEqual([
    "0BSD",
    "Apache-2.0",
    "BSD-3-Clause",
    "BlueOak-1.0.0",
    "GPL-3.0",
    "ISC",
    "LGPL-3.0-or-later",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unlicense",
  ]);
  const notice = read("NOTICE");
  expect(single.filter((licence) => !notice.includes(licence))).toEqual([]);
});

test("only these are under a licence that asks something of whoever passes them on", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Package> };
  const copyleft = Object.entries(packages)
    .filter(([, { dev, license }]) => dev !== true && license?.includes("GPL"))
    .map(([path]) => path.replace(/.*node_modules\//, "").replace(/^@img\/sharp-.*/, "@img/sharp-*"));
  expect([...new Set(copyleft)].toSorted()).toEqual(["@img/sharp-*", "libsignal"]);
});
