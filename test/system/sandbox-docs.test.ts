import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSandbox } from "../../sandbox/server.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const PAGES = ["sandbox.md", ...readdirSync(join(DOCS, "sandbox")).map((name) => join("sandbox", name))];
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  sandbox = await startSandbox({ seedDemo: true });
});
afterAll(() => sandbox.close());

/** The shell blocks of the pages; continued lines are joined. */
const BLOCKS = PAGES.flatMap((page) => [
  ...readFileSync(join(DOCS, page), "utf8").matchAll(/```sh\n(.*?)```/gs),
]).map(([, block = ""]) => block.replaceAll("\\\n", " "));
/**
 * Lines that need more than the sandbox: the service, a displayed code, a device linked by it, or a button that a bot
 * has sent.
 */
const NEEDS_MORE = [/localhost:8080/, /\.\.\./, /\$[WTX]\/messages/, /inbox\?count/, /\/presses/];
const LINES = BLOCKS.flatMap((block) => block.split("\n")).filter(
  (line) => /^(curl|[A-Z]=)/.test(line) && !NEEDS_MORE.some((each) => each.test(line)),
);

/** Prints the status of each request. */
const CURL = `curl() { command curl --max-time 30 -o /dev/null -w '%{http_code} %{method} %{url}\\n' "$@"; }`;

test("every curl command of the sandbox's pages succeeds, one after the other", async () => {
  const script = [CURL, ...LINES].join("\n").replaceAll("localhost:8090", new URL(sandbox.url).host);
  const { stdout } = await promisify(execFile)("bash", ["-c", script], {
    env: { ...process.env, no_proxy: "*" },
  });
  const told = stdout.split("\n").filter((line) => line !== "");
  expect(told).toHaveLength(LINES.filter((line) => line.startsWith("curl")).length);
  expect(told.length).toBeGreaterThan(30);
  expect(told.filter((line) => !/^2\d\d /.test(line))).toEqual([]);
});
