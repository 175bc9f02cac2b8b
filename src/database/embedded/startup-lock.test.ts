import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { withStartupLock } from "./startup-lock.ts";

let dataDir = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "startup-lock-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
});

/** Takes the lock, reports it, and keeps it. */
const HOLDER = `
  const { withStartupLock } = await import(${JSON.stringify(join(import.meta.dirname, "startup-lock.ts"))});
  await withStartupLock(process.argv[1], () => new Promise((resolve) => { console.log("held"); setTimeout(resolve, 3_600_000); }));
`;

async function startHolder(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", HOLDER, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stdout !== null) await once(child.stdout, "data");
  return child;
}

test("tasks of one process run one after another", async () => {
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
  };
  await Promise.all(Array.from({ length: 8 }, () => withStartupLock(dataDir, work)));
  expect(most).toBe(1);
});

test("waits for another process, whose death releases the lock", async () => {
  const holder = await startHolder();
  let entered = false;
  const mine = withStartupLock(dataDir, async () => {
    entered = true;
    return holder.signalCode;
  });
  const second = await Promise.race([mine, new Promise((resolve) => setTimeout(resolve, 100, "waiting"))]);
  expect([second, entered]).toEqual(["waiting", false]);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await mine;
  expect(entered).toBe(true);
});

test("a failure releases the lock", async () => {
  const failing = withStartupLock(dataDir, () => Promise.reject(new Error("no space")));
  await expect(failing).rejects.toThrow("no space");
  expect(await withStartupLock(dataDir, async () => "free")).toBe("free");
});

test.runIf(process.platform === "linux")(
  "a predictable socket created by another user does not block the lock",
  async () => {
    const { dev, ino } = statSync(dataDir);
    const name = createHash("sha256").update(`${dev}:${ino}`).digest("hex").slice(0, 32);
    const squatter = createServer().listen(`\0trunkline-start-${name}`);
    onTestFinished(() => void squatter.close());
    await once(squatter, "listening");
    expect(await withStartupLock(dataDir, async () => "entered")).toBe("entered");
  },
);

test("the file is private, even if it existed with other permissions", async () => {
  const path = join(dataDir, "starting.lock");
  const mode = () => statSync(path).mode & 0o777;
  expect(await withStartupLock(dataDir, async () => mode())).toBe(0o600);
  rmSync(path);
  writeFileSync(path, "", { mode: 0o644 });
  expect(await withStartupLock(dataDir, async () => mode())).toBe(0o600);
});
