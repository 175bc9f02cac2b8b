import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { startTestDatabase } from "../kit/database.ts";
import { startService } from "../kit/service.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
}

/**
 * The lockfile's packages that `npm install` of the package installs, without the embedded PostgreSQL and the
 * runtime.
 */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !dev && !optional)
    .map(([path]) => path);
}

/** The package, unpacked in an empty directory, with only its own dependencies. */
async function install(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-package-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  await run("npm", ["run", "package", "--", "--pack-destination", directory], { cwd: ROOT });
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  await run("tar", ["-xzf", join(directory, `trunkline-${version}.tgz`), "-C", directory]);
  const root = join(directory, "package");
  for (const path of productionPackages()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(root, path));
  }
  return root;
}

test("npm pack of a checkout refuses, and says what to run instead", async () => {
  const packing = run("npm", ["pack"], { cwd: ROOT });
  await expect(packing).rejects.toThrow(/no such file or directory.*use-npm-run-package/);
});

test("the package contains everything that the service needs", async () => {
  const root = await install();
  for (const file of ["LICENSE", "NOTICE", "README.md", "package.json"])
    expect(existsSync(join(root, file)), file).toBe(true);
  expect(existsSync(join(root, "src"))).toBe(false);
  const { packages } = JSON.parse(readFileSync(join(root, "npm-shrinkwrap.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  for (const path of productionPackages()) expect(Object.keys(packages)).toContain(path);
  expect(Object.values(packages).filter(({ dev }) => dev)).toEqual([]);

  const database = await startTestDatabase({ empty: true });
  onTestFinished(() => database.stop());
  const dataDir = join(root, "data");
  mkdirSync(dataDir);
  const settings = {
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    SECRET_KEY: randomBytes(32).toString("base64"),
  };
  const service = await startService(settings, join(root, "dist/src/cli/main.js"));
  onTestFinished(() => void service.child.kill("SIGKILL"));
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${service.url}/docs`)).status).toBe(200);
  expect(await service.end("SIGTERM")).toMatchObject({ code: 0 });
});
