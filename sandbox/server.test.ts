import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { emulatorFactories } from "./emulators.ts";
import type { SandboxReport } from "./main.ts";
import { startSandbox } from "./server.ts";
import { demoToken } from "./telegram/demo.ts";
import { inSandbox, requestJson, withSandbox } from "./test-kit.ts";

async function withDirectory(run: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "sandbox-test-"));
  try {
    await run(dataDir);
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

describe("server", () => {
  test("GET / lists the emulators", () =>
    withSandbox(async ({ url }) => {
      const names = Object.keys(emulatorFactories);
      expect(names).toEqual(expect.arrayContaining(["telegram", "wapi", "whatsapp"]));
      const { inbox, phone, ...emulators } = (await requestJson("GET", url)).body;
      expect(inbox).toEqual({ url: `${url}/inbox` });
      expect(phone).toEqual({ url: `${url}/phone` });
      expect(Object.keys(emulators)).toEqual(names);
      for (const name of names) {
        // Below the sandbox's address, or on a separate server.
        const address = new RegExp(`^(tcp://|wss?://|${url}/${name}(/|$))`);
        const expected = { url: expect.stringMatching(address), admin: `${url}/admin/${name}` };
        expect(emulators[name]).toMatchObject(expected);
      }
      expect(emulators["wapi"]).toMatchObject({ settings: { WAPI_APP_ID: "1000000000001" } });
    }));

  test("a port in use is an error that leaves no files behind", () =>
    withDirectory(async (directory) => {
      vi.stubEnv("TMPDIR", directory);
      onTestFinished(() => void vi.unstubAllEnvs());
      await inSandbox(async (url) => {
        const port = Number(new URL(url).port);
        const before = await readdir(directory);
        await expect(startSandbox({ port })).rejects.toThrow("EADDRINUSE");
        expect(await readdir(directory)).toEqual(before);
      });
    }));

  const mistakes: readonly (readonly [
    method: string,
    path: string,
    body: object | undefined,
    status: number,
    error: string,
  ])[] = [
    ["GET", "/nowhere", undefined, 404, "unknown_route"],
    ["GET", "/admin/pigeon/bots", undefined, 404, "unknown_route"],
    ["GET", "/admin/telegram/pigeons", undefined, 404, "unknown_route"],
    ["PUT", "/admin/telegram/bots", undefined, 405, "method_not_allowed"],
    ["GET", "/admin/telegram/bots/42", undefined, 404, "not_found"],
    ["GET", "/admin/telegram/bots/x", undefined, 400, "invalid_field"],
    ["POST", "/admin/telegram/bots", { token: "short" }, 400, "invalid_field"],
    [
      "POST",
      "/admin/telegram/bots",
      { token: "1000001:demo-trunkline-sandbox-token-0000000000" },
      409,
      "exists",
    ],
    ["POST", "/admin/telegram/users", {}, 400, "invalid_field"],
    ["POST", "/admin/telegram/bots/1000001/users/111/messages", { kind: "song" }, 400, "invalid_field"],
    ["POST", "/admin/telegram/bots/1000001/users/111/messages", [], 400, "invalid_json"],
    ["POST", "/admin/telegram/bots/1000001/users/111/presses", { data: "x" }, 404, "not_found"],
  ];

  test.each(mistakes)("%s %s %j", (method, path, body, status, error) =>
    withSandbox(async ({ url }) => {
      const answer = await requestJson(method, url + path, body);
      expect(answer).toMatchObject({ status, body: { error, description: expect.any(String) } });
    }),
  );

  test("closing does not wait for pending requests", async () => {
    const left: Promise<unknown>[] = [];
    const started = performance.now();
    await withSandbox(async ({ admin, call }) => {
      left.push(call("getUpdates", { timeout: 50 }).catch(() => "gone"));
      left.push(admin("GET /bots/1000001/sent?count=5&timeout_ms=50000").catch(() => "gone"));
      await admin("GET /bots/1000001/calls?count=1");
    });
    await Promise.all(left);
    // Shorter than any of their timeouts.
    expect(performance.now() - started).toBeLessThan(45_000);
  });

  test("reset", () =>
    withSandbox(async ({ admin, refused }) => {
      await admin("DELETE /");
      expect(await admin("GET /bots")).toEqual({ items: [] });
      expect(await refused("getMe")).toBe("401 Unauthorized");
    }));
});

describe("restart with a data directory", () => {
  test("bots, users, chats, webhooks, files and pending updates are kept; ids continue", () =>
    withDirectory(async (dataDir) => {
      const kept: { fileId?: unknown; updateId?: unknown } = {};
      await withSandbox(
        async ({ ann, ok }) => {
          const { message, update_ids } = await ann("messages", { kind: "document", file: { size: 2000 } });
          kept.fileId = message?.["document"]?.["file_id"];
          kept.updateId = update_ids?.["1000001"];
          await ok("sendMessage", { chat_id: 111, text: "a" });
        },
        { dataDir },
      );
      await withSandbox(
        async ({ apiRoot, ok, token }) => {
          expect(await ok("getUpdates")).toMatchObject([{ message: { document: { file_id: kept.fileId } } }]);
          const { message_id } = await ok("sendMessage", { chat_id: 111, text: "b" });
          expect(Number(message_id)).toBeGreaterThan(2);
          const { file_path } = await ok("getFile", { file_id: kept.fileId });
          const download = await fetch(`${apiRoot}/file/bot${token}/${file_path}`);
          expect((await download.arrayBuffer()).byteLength).toBe(2000);
        },
        { dataDir, seedDemo: false },
      );
    }));

  test.each([
    ["telegram", "1000001"],
    ["maxbot", "555000001"],
    ["viber", "pa:75346594275468546724"],
  ])("the demo bot of %s keeps the token that replaced a revoked one", (messenger, bot) =>
    withDirectory(async (dataDir) => {
      const tokensOf = async ({ url }: { readonly url: string }): Promise<unknown[]> => {
        const { body } = await requestJson("GET", `${url}/admin/${messenger}/bots`);
        return (body["items"] as unknown as { token: unknown }[]).map(({ token }) => token);
      };
      const sandbox = await startSandbox({ dataDir, seedDemo: true });
      await requestJson("POST", `${sandbox.url}/admin/${messenger}/bots/${bot}/revocations`, {});
      const tokens = await tokensOf(sandbox);
      await sandbox.close();
      const restarted = await startSandbox({ dataDir, seedDemo: true });
      try {
        expect(await tokensOf(restarted)).toEqual(tokens);
      } finally {
        await restarted.close();
      }
    }),
  );
});

test("an upload that cannot be stored is refused, and the sandbox goes on", () =>
  withDirectory(async (dataDir) => {
    const sandbox = await startSandbox({ dataDir, seedDemo: true });
    try {
      await rm(join(dataDir, "sandbox-files"), { recursive: true });
      const form = new FormData();
      form.set("chat_id", "111");
      // The end of the first file and the second one are still to come when it fails.
      for (const name of ["document", "thumbnail"])
        form.set(name, new Blob([Buffer.alloc(3_000_000)]), `${name}.bin`);
      const bot = `${sandbox.url}/telegram/bot${demoToken}`;
      const answer = await fetch(`${bot}/sendDocument`, { method: "POST", body: form });
      expect([answer.ok, await answer.text()]).toEqual([false, expect.stringContaining("ENOENT")]);
      expect((await requestJson("GET", `${bot}/getMe`)).status).toBe(200);
    } finally {
      await sandbox.close();
    }
  }));

describe("program", () => {
  test("prints its address and ends on SIGTERM", async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), "--port", "0"]);
    try {
      const [line] = await once(child.stdout, "data");
      expect(String(line)).toMatch(/^sandbox: (http:\/\/127\.0\.0\.1:\d+)\nphone: \1\/phone\n$/);
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      expect(await exit).toEqual([0, null]);
    } finally {
      child.kill("SIGKILL");
    }
  });

  test.each(["sandbox.json", "sandbox-max/state.json"])("ends cleanly when it cannot save %s", (state) =>
    withDirectory(async (data) => {
      const child = fork(join(import.meta.dirname, "main.ts"), ["--port", "0", "--data", data], {
        silent: true,
      });
      let errors = "";
      child.stderr?.on("data", (part) => {
        errors += String(part);
      });
      try {
        const [ready]: SandboxReport[] = await once(child, "message");
        // It answers once all its processes have started.
        await requestJson("GET", ready?.type === "ready" ? ready.url : "");
        // The new file cannot be written in its place.
        await mkdir(join(data, `${state}.new`), { recursive: true });
        const ended = once(child, "close");
        child.kill("SIGTERM");
        expect(await ended).toEqual([0, null]);
        expect(errors.split("\n")).toEqual([
          expect.stringMatching(
            /^sandbox: \S+\.json cannot be saved, and is kept in memory meanwhile: EISDIR/,
          ),
          expect.stringMatching(/^sandbox: the last changes of \S+\.json are lost$/),
          "",
        ]);
      } finally {
        child.kill("SIGKILL");
      }
    }),
  );

  test("says in one line why it cannot start", () =>
    withDirectory(async (directory) => {
      const file = join(directory, "file");
      await writeFile(file, "");
      const child = spawn(process.execPath, [
        join(import.meta.dirname, "main.ts"),
        "--port",
        "0",
        "--data",
        file,
      ]);
      let errors = "";
      child.stderr.on("data", (part) => {
        errors += String(part);
      });
      expect(await once(child, "close")).toEqual([1, null]);
      expect(errors).toMatch(/^sandbox: it cannot start: .+\n$/);
    }));

  test("reports over IPC and ends with its parent", async () => {
    const child = fork(join(import.meta.dirname, "main.ts"), ["--port", "0", "--demo"], { silent: true });
    try {
      const [ready]: SandboxReport[] = await once(child, "message");
      const url = ready?.type === "ready" ? ready.url : "";
      const next = once(child, "message");
      await requestJson("POST", `${url}/inbox`, { test: true });
      expect(await next).toMatchObject([{ type: "inbox", line: "← webhook test" }, undefined]);
      const exit = once(child, "exit");
      child.disconnect();
      expect(await exit).toEqual([0, null]);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
