import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { printableSecret, signatureHeaders } from "../../src/core/delivery/request/signature.ts";
import { freePort } from "../kit/own-port.ts";

const PAGE = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
const SECRET = new Uint8Array(32).fill(7);
const OTHER = new Uint8Array(32).fill(8);
const BODY = JSON.stringify({ messages: [{ messageId: "m1", chatId: "111", text: "hello" }] });
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "examples-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const missing = (program: string): boolean => spawnSync(program, ["--version"]).status !== 0;
const example = (language: string): string =>
  new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(PAGE)?.[1] ?? "";

/** Runs the page's receiver, and returns a function to post to it, and its output. */
async function startExample(program: string, file: string, code: string) {
  writeFileSync(join(directory, file), code);
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: printableSecret(SECRET) };
  const child = spawn(program, [join(directory, file)], { env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += String(chunk);
  });
  const post = async (headers: Record<string, string>, body = BODY): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status;
  await vi.waitUntil(
    () =>
      post(signed("msg_0"), "{}")
        .then(() => true)
        .catch(() => false),
    {
      interval: 50,
    },
  );
  return {
    post,
    printed: () => printed,
    stop: () => {
      child.kill();
      return ended;
    },
  };
}

function signed(
  id: string,
  at = new Date(),
  secrets: readonly Uint8Array[] = [SECRET],
  body = BODY,
): Record<string, string> {
  return signatureHeaders(secrets, id, at, body);
}

async function verifiesAndDeduplicates(language: string, program: string, file: string): Promise<void> {
  const receiver = await startExample(program, file, example(language));
  try {
    expect(await receiver.post(signed("msg_1"))).toBe(200);
    expect(await receiver.post(signed("msg_1"))).toBe(200);
    expect(await receiver.post(signed("msg_2"), BODY.replace("hello", "hullo"))).toBe(401);
    expect(await receiver.post(signed("msg_3", new Date(Date.now() - 3_600_000)))).toBe(401);
    expect(await receiver.post(signed("msg_4", new Date(), [OTHER]))).toBe(401);
    expect(await receiver.post(signed("msg_5", new Date(), [OTHER, SECRET]))).toBe(200);
    const example = BODY.replace("{", '{"test":true,');
    expect(await receiver.post(signed("msg_6", new Date(), [SECRET], example), example)).toBe(200);
  } finally {
    await receiver.stop();
  }
  expect(receiver.printed()).toBe("111 hello\n111 hello\n");
}

test("the page's receiver in TypeScript", () =>
  verifiesAndDeduplicates("ts", process.execPath, "receiver.ts"));

test.skipIf(missing("python3"))("the page's receiver in Python", () =>
  verifiesAndDeduplicates("python", "python3", "receiver.py"),
);
