import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SandboxReport } from "../main.ts";
import { requestJson, withSandbox } from "../test-kit.ts";

/** Whether a server listens there. */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

const addressIn = async (url: string) => String((await requestJson("GET", url)).body["whatsapp"]?.["url"]);

test("starts on demand, is reached through the sandbox, and ends with it", async () => {
  let address = "";
  await withSandbox(async ({ url }) => {
    const admin = `${url}/admin/whatsapp`;
    expect((await requestJson("GET", `${admin}/people`)).body["items"]).toMatchObject([
      { name: "Ann" },
      { name: "Bob" },
    ]);
    expect((await requestJson("POST", `${admin}/people`, { phone: "x" })).status).toBe(400);
    const made = await requestJson("POST", `${admin}/people`, { phone: "4915550001", name: "Zoë" });
    expect(made.body).toMatchObject({ phone: "4915550001", name: "Zoë" });
    expect((await requestJson("GET", `${admin}/events?count=9&timeout_ms=1`)).body).toMatchObject({
      complete: false,
    });
    expect((await requestJson("GET", `${url}/whatsapp`)).status).toBe(404);
    address = await addressIn(url);
    expect(await answers(address)).toBe(true);
  });
  expect(await answers(address)).toBe(false);
});

test("ends when the sandbox is killed", async () => {
  // Its temporary files, which it cannot remove.
  const directory = await mkdtemp(join(tmpdir(), "sandbox-killed-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  const child = fork(join(import.meta.dirname, "../main.ts"), ["--port", "0"], {
    silent: true,
    env: { ...process.env, TMPDIR: directory },
  });
  try {
    const [ready]: SandboxReport[] = await once(child, "message");
    const address = await addressIn(ready?.type === "ready" ? ready.url : "");
    expect(await answers(address)).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(() => answers(address)).toBe(false);
  } finally {
    child.kill("SIGKILL");
  }
});
