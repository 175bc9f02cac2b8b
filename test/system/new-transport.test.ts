import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const npx = (name: string): string => join(ROOT, "node_modules/.bin", name);
let copy: string;

/** Links to the repository's files, with space for one more messenger. */
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "new-transport-"));
  for (const folder of ["src/transports", "sandbox", "docs/transports"])
    mkdirSync(join(copy, folder), { recursive: true });
  const links = ["src/core", "src/platform", "src/transports/kit", "node_modules", "test", "package.json"];
  for (const path of links) symlinkSync(join(ROOT, path), join(copy, path));
  // The sandbox finds its emulators beside itself.
  cpSync(join(ROOT, "sandbox"), join(copy, "sandbox"), { recursive: true });
  cpSync(join(ROOT, "README.md"), join(copy, "README.md"));
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8")) as object as {
    compilerOptions: object;
  };
  const include = ["src/transports/postbox", "sandbox/postbox"];
  writeFileSync(join(copy, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  const config = { test: { include: include.map((folder) => `${folder}/**/*.test.ts`) } };
  writeFileSync(join(copy, "vitest.config.mjs"), `export default ${JSON.stringify(config)}`);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const make = (...args: string[]) =>
  run(process.execPath, [join(ROOT, "tools/new-transport.ts"), "--root", copy, ...args]);

test("a new transport compiles and is well-formed, and its failing tests show what has to be written", async () => {
  await make("postbox", "--label", "Post box", "--chat-type", "vk");
  expect(readFileSync(join(copy, "README.md"), "utf8")).toContain(
    "| Post box | [docs/transports/postbox.md](docs/transports/postbox.md) |\n\n",
  );
  const written = readFileSync(join(copy, "src/transports/postbox/definition.ts"), "utf8");
  expect(written).not.toMatch(/NAME|LABEL|CHATTYPE|UPPER|Pascal/);
  expect(await compile()).toBe("");
  const lint = ["lint", "--config-path", ROOT, "--vcs-enabled=false", join(copy, "src/transports/postbox")];
  await run(npx("biome"), lint);

  const results = await runTests();
  const all = results.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = all.filter(({ status }) => status === "failed");
  expect(failed.map(({ title }) => title).toSorted()).toEqual(
    [
      '403 {"code":"blocked_by_user"}: BAD_CONTACT',
      "a message that is sent arrives at the person",
      "a text",
      "has a sample of each kind of group update that it declares",
      "loses no words, addresses, files and button payloads of samples and their variants",
      "nothing",
      "replays sample 0",
      "stops when its link ends",
      ...failed.map(({ title }) => title).filter((title) => title.startsWith("survives: ")),
    ].toSorted(),
  );
  expect(all.filter(({ status }) => status === "passed").map(({ title }) => title)).toContain(
    "has the methods that its capabilities promise, and closes quickly",
  );
  const messages = failed.flatMap(({ failureMessages }) => failureMessages).join("\n");
  expect(messages).toContain("not written yet: postbox/inbound.ts");
  expect(messages).toContain("not written yet: postbox/outbound.ts");
});

test("the guide's example compiles, and makes these tests pass", async () => {
  const guide = readFileSync(join(ROOT, "docs/adding-a-transport.md"), "utf8");
  const blocks = [...guide.matchAll(/```\w+ ((?:src|sandbox)\S+)( \w+)?\n(.*?)```/gs)];
  expect(blocks.length).toBe(7);
  for (const [, path = "", part, code = ""] of blocks) {
    const file = join(copy, path);
    const before = readFileSync(file, "utf8");
    writeFileSync(
      file,
      part === undefined ? code : before.replace(new RegExp(`const ${part.trim()}\\b[^;]*;\n`), () => code),
    );
  }
  expect(await compile()).toBe("");
  const { testResults } = await runTests();
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = all.filter(({ status }) => status === "failed");
  expect(failed.map(({ title, failureMessages }) => `${title}: ${failureMessages.join()}`)).toEqual([]);
  expect(all.length).toBeGreaterThan(15);
});

/** The compiler's errors; empty if there are none. */
async function compile(): Promise<string> {
  const compiled = run(npx("tsc"), ["--noEmit", "-p", copy]);
  return (await compiled.catch((error: { stdout: string }) => error)).stdout;
}

async function runTests(): Promise<Report> {
  const report = join(copy, "report.json");
  const reporting = ["run", "--reporter", "json", "--outputFile", report];
  const ran = await run(npx("vitest"), reporting, { cwd: copy }).then(
    () => "no test failed",
    (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
  );
  expect(existsSync(report), ran).toBe(true);
  return JSON.parse(readFileSync(report, "utf8")) as Report;
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

test.each([
  ["a name in capitals", ["Postbox"], "lower-case letters"],
  ["no name", [], "lower-case letters"],
  ["a name that is no chat type", ["pigeon"], '"pigeon" is no chat type'],
])("%s is refused", async (_, args, message) => {
  await expect(make(...args)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test("existing files are not overwritten", async () => {
  mkdirSync(join(copy, "src/transports/vk"));
  await expect(make("vk")).rejects.toMatchObject({ stderr: expect.stringContaining("is there already") });
});
