import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

test("an idle process releases the memory that a burst of work used", async () => {
  const program = new URL("programs/burst.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, ["--max-semi-space-size=64", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let worked = 0;
  for await (const line of createInterface(child.stdout)) {
    const [word, megabytes] = line.split(" ");
    if (word === "worked") worked = Number(megabytes);
    else if (Number(megabytes) < 8) break;
  }
  expect(worked).toBeGreaterThanOrEqual(32);
});

test.runIf(process.platform === "linux")("a process without file descriptors does not end", async () => {
  const program = new URL("programs/no-descriptors.ts", import.meta.url).pathname;
  const command = ["--nofile=64:64", process.execPath, program];
  expect((await promisify(execFile)("prlimit", command)).stdout).toBe("starts\nEMFILE\n");
});
