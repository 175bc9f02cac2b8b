import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WaitingCode } from "../core/channel/link/waiting-codes.ts";
import { makeDirectory } from "../platform/file/make-directory.ts";

/** The emulated messengers, in a process that ends with this one. */
export interface SandboxProcess {
  readonly url: string;
  /** Sign-in dialogs of the emulated messengers return to this address of the service. */
  serviceAt(url: string): void;
  /** Offers these QR codes on the sandbox's phone, to be scanned by a click. */
  offerCodes(read: () => Promise<readonly WaitingCode[]>): void;
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 3_000;
/** Under `node --watch`, Node sends its own messages on the same channel. */
type Report =
  | { readonly type: "ready"; readonly url: string }
  | { readonly type: "inbox"; readonly line: string }
  | { readonly type: "codes?"; readonly id: number };

/** Resolves once it listens. `onInbox` receives a readable line for each webhook that its receiver gets. */
export async function startSandboxProcess(options: {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  onInbox(line: string): void;
  /** It ended by itself; the emulated messengers are away from now on. */
  onDeath(reason: string): void;
}): Promise<SandboxProcess> {
  const data = join(options.dataDir, "sandbox");
  // Messages and keys of the emulated messengers, readable only by this user, even if the directory existed with
  // other permissions.
  makeDirectory(data, 0o700);
  await chmod(data, 0o700);
  const main = fileURLToPath(
    new URL(
      import.meta.url.endsWith(".ts") ? "../../sandbox/main.ts" : "../../sandbox/main.js",
      import.meta.url,
    ),
  );
  const args = ["--host", options.host, "--port", String(options.port), "--data", data, "--demo"];
  const child = fork(main, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const url = await new Promise<string>((resolve, reject) => {
    child.on("message", (report: Report) => {
      if (report.type === "ready") resolve(report.url);
      else if (report.type === "inbox") options.onInbox(report.line);
    });
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(
        new Error(
          `The sandbox ended with code ${code} at its start. If port ${options.port} is not free, SANDBOX_PORT sets another`,
        ),
      ),
    );
  });
  let stopping = false;
  child.once("exit", (code, signal) => {
    // With code 0, it was stopped together with this process, by Ctrl-C.
    if (!stopping && code !== 0) options.onDeath(signal ?? `code ${code}`);
  });
  return {
    url,
    serviceAt(url) {
      if (child.connected) child.send({ type: "service", url });
    },
    offerCodes(read) {
      child.on("message", (report: Report) => {
        if (report.type === "codes?") void answerWithCodes(child, report.id, read);
      });
    },
    async stop() {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      child.kill("SIGTERM");
      await once(child, "exit");
      clearTimeout(timer);
    },
  };
}

async function answerWithCodes(
  child: ChildProcess,
  id: number,
  read: () => Promise<readonly WaitingCode[]>,
): Promise<void> {
  const items = await read().catch(() => []);
  if (child.connected) child.send({ type: "codes", id, items });
}

/** Where an emulator listens, and further settings that refer to it, by name in the environment. */
export interface EmulatorAddress {
  readonly url: string;
  readonly admin?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Every emulator by its transport's id; none without a sandbox. */
export async function sandboxAddresses(url: string | null): Promise<Map<string, EmulatorAddress>> {
  if (url === null) return new Map();
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`The sandbox could not start: ${await answer.text()}`);
  return new Map(Object.entries((await answer.json()) as Record<string, EmulatorAddress>));
}
