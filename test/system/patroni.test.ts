import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { findPrograms, missingText } from "../../soak/patroni/programs.ts";

const SOAK = join(import.meta.dirname, "../../soak/main.ts");
const run = promisify(execFile);

async function soak(...args: readonly string[]): Promise<string> {
  const all = [SOAK, "--patroni", ...args];
  const options = { maxBuffer: 2 ** 26, timeout: 800_000 };
  const { stdout, stderr } = await run(process.execPath, all, options).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return stdout + stderr;
}

const found = findPrograms();
if ("missing" in found) console.warn(`Not tested: ${missingText(found.missing)}`);

describe.skipIf("missing" in found)("three members with Patroni", () => {
  test("mixed traffic survives a switchover, configured by deploy/patroni", async () => {
    const output = await soak(
      "--fault",
      "switchover",
      "--minutes",
      "0.2",
      "--round-seconds",
      "12",
      "--people",
      "1",
    );
    expect(output).toMatch(/switchover: pg\d to pg\d/);
    expect(output).toMatch(/^[1-9]\d* new timelines$/m);
    expect(output).toContain("PASSED");
  });
});

test("files with passwords are for their owner alone, also in place of earlier files", async () => {
  const directory = mkdtempSync(join(tmpdir(), "patroni-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const files = ["etcd.env", "patroni.yml", "haproxy.cfg", "database.sql"].map((name) =>
    join(directory, name),
  );
  for (const file of files) {
    writeFileSync(file, "");
    chmodSync(file, 0o644);
  }
  const names = ["SUPERUSER", "REPLICATION", "RESTAPI", "TRUNKLINE"];
  const passwords = Object.fromEntries(names.map((name) => [`${name}_PASSWORD`, "a1"]));
  const env = { PATH: process.env["PATH"], ...passwords };
  await run("sh", [join(import.meta.dirname, "../../deploy/patroni/configure.sh"), "1", directory], { env });
  expect(files.map((file) => [statSync(file).mode & 0o777, statSync(file).size > 0])).toEqual(
    files.map(() => [0o600, true]),
  );
});

test("a fault that there is not is refused, before anything is started", async () => {
  expect(await soak("--fault", "nothing")).toMatch(
    /^there is no fault "nothing", only: the leader's machine dies;/,
  );
});
