import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseYaml } from "@redocly/openapi-core";
import { Compile } from "typebox/schema";
import { expect, test } from "vitest";
import { describeSettings } from "../src/config.ts";
import { registry } from "../src/platform/metrics.ts";
import { transports } from "../src/transports/index.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

const WITH_METRICS = ["deploy/prometheus/rules.yml", "deploy/grafana/trunkline.json", "docs/operations.md"];

/** The names that Prometheus sees: a histogram has three. */
async function metricNames(): Promise<Set<string>> {
  const metrics = await registry.getMetricsAsJSON();
  return new Set(
    metrics.flatMap(({ name, type }) =>
      String(type) === "histogram" ? [name, `${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
}

test.each(WITH_METRICS)("%s names metrics that there are", async (file) => {
  const known = await metricNames();
  const named = [...new Set(read(file).match(/\btrunkline_[a-z0-9_]+/g))];
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

const WITH_SETTINGS = [
  "Dockerfile",
  "compose.yaml",
  "deploy/systemd/trunkline.service",
  "deploy/kubernetes/trunkline.yaml",
];
/** Of PostgreSQL's image, of Node and of the files themselves. */
const FOREIGN = /^(NODE_ENV|POSTGRES_\w+|CMD|ALL|HEALTHCHECK|ENTRYPOINT)$/;

test.each(WITH_SETTINGS)("%s names settings that there are", (file) => {
  const definitions = transports.map(({ definition }) => definition);
  const known = new Set(describeSettings(definitions).map(({ env }) => env));
  const named = [...read(file).matchAll(/\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s*[:=]/g)].map(
    ([, name = ""]) => name,
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !known.has(name) && !FOREIGN.test(name))).toEqual([]);
});

/** The programs of deployments are started as the scripts of a checkout are. */
test("every deployment starts the service with the same options of Node", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const options = scripts["start"]?.match(/--[a-z-]+=\d+/g) ?? [];
  expect(options.length).toBeGreaterThan(1);
  for (const file of ["Dockerfile", "deploy/systemd/trunkline.service"])
    for (const option of options) expect(read(file)).toContain(option);
});

test("the image has all that the package has", () => {
  const { files } = JSON.parse(read("package.json")) as { files: string[] };
  const copied = read("Dockerfile")
    .split("\n")
    .filter((line) => line.startsWith("COPY"));
  const missing = files.filter((file) => !copied.some((line) => line.split(" ").includes(file)));
  expect(missing).toEqual([]);
});

test("the image leaves out the optional packages for Node and PostgreSQL, and no others", () => {
  const image = read("Dockerfile");
  expect(image).not.toMatch(/^RUN .*--omit=optional/m);
  const { optionalDependencies } = JSON.parse(read("package.json")) as {
    optionalDependencies: Record<string, string>;
  };
  const [, removed = ""] = /npm ci --omit=dev && rm -rf (.+)/.exec(image) ?? [];
  const patterns = removed
    .split(" ")
    .map((path) => new RegExp(`^${path.replace("node_modules/", "").replace("*", ".*")}(/|$)`));
  const onLinux = Object.keys(optionalDependencies).filter((name) => name.includes("linux"));
  const left = onLinux.filter((name) => !patterns.some((pattern) => pattern.test(name)));
  expect(left).toEqual(["@napi-rs/webcodecs-linux-x64-gnu", "@napi-rs/webcodecs-linux-x64-musl"]);
});

/** The settings in this block, by name. */
function settingsAfter(file: string, heading: string): Map<string, string> {
  const lines = read(file).split("\n");
  const from = lines.findIndex((line) => line.trim() === heading) + 1;
  expect(from, `${file} has ${heading}`).toBeGreaterThan(0);
  const indentOf = (line: string): number => line.length - line.trimStart().length;
  const indent = indentOf(lines[from] ?? "");
  const end = lines.findIndex((line, at) => at >= from && indentOf(line) < indent);
  return new Map(
    lines.slice(from, end).flatMap((line) => {
      const [, name, value] = /^\s*([a-z_]+): "?([^"]+)"?$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
}

test("the PostgreSQL of Kubernetes has the settings of the one with Patroni, which is tested", () => {
  const tested = settingsAfter("deploy/patroni/patroni.yml", "parameters:");
  expect(tested.size).toBeGreaterThan(8);
  expect(settingsAfter("deploy/kubernetes/postgresql.yaml", "parameters:")).toEqual(tested);
  expect(read("deploy/kubernetes/postgresql.yaml")).toMatch(/^ {6}number: 1\n {6}dataDurability: required$/m);
});

test("every machine-readable file of the deployment is well formed", () => {
  const files = globSync("{deploy,.vscode}/**/*.json", { cwd: ROOT });
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(() => JSON.parse(read(file)), file).not.toThrow();
});

/** `helm` checks the values in the same way. */
test("the values of the chart fit their schema, and the templates use no others", () => {
  const checker = Compile(JSON.parse(read("deploy/helm/values.schema.json")));
  const validate = (values: unknown): boolean => checker.Check(values);
  const values = parseYaml(read("deploy/helm/values.yaml")) as Record<string, unknown>;
  expect(checker.Errors(values)).toEqual([true, []]);
  const wrong = { ...values, settings: { PUBLIC_URL: "https://a.example", SECRET_KEY: "x" } };
  expect([validate({ ...values, replicas: 3 }), validate(wrong)]).toEqual([false, false]);
  const templates = globSync("deploy/helm/templates/*", { cwd: ROOT }).map(read).join("\n");
  const paths = new Set(
    [...templates.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = ""]) => path.slice(1)),
  );
  expect(paths.size).toBeGreaterThan(10);
  const missing = [...paths].filter(
    (path) =>
      path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], values) ===
      undefined,
  );
  expect(missing).toEqual([]);
});

test("the chart takes no secret as a setting, which everybody reads who may read a config map", () => {
  const schema = JSON.parse(read("deploy/helm/values.schema.json")) as {
    properties: { settings: { properties: Record<string, unknown> } };
  };
  const secrets = describeSettings(transports.map(({ definition }) => definition))
    .filter(({ sensitive }) => sensitive)
    .map(({ env }) => env);
  expect(secrets.length).toBeGreaterThan(10);
  expect(secrets.filter((name) => schema.properties.settings.properties[name] !== false)).toEqual([]);
});

test("the chart takes a port for metrics that its probes and services know, for clusters with IPv6 alone", () => {
  const checker = Compile(JSON.parse(read("deploy/helm/values.schema.json")));
  const values = parseYaml(read("deploy/helm/values.yaml")) as { settings: Record<string, unknown> };
  const accepts = (listen: string): boolean =>
    checker.Check({ ...values, settings: { ...values.settings, METRICS_LISTEN: listen } });
  expect(["[::]:9090", "0.0.0.0:9090", "0.0.0.0:9091", ""].map(accepts)).toEqual([true, true, false, false]);
});

test("the chart has the version of the package", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  expect(parseYaml(read("deploy/helm/Chart.yaml"))).toMatchObject({ version, appVersion: version });
});
