import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PageSource } from "../http/app/page-files.ts";
import type { Log } from "../platform/log.ts";

/** The pages, built if necessary. */
export interface BuiltPages extends PageSource {
  /** Aborts a pending build. */
  stop(): Promise<void>;
}

const IS_CHECKOUT = import.meta.url.endsWith(".ts");
const ROOT = fileURLToPath(new URL(IS_CHECKOUT ? "../.." : "../../..", import.meta.url));
const WEB = join(ROOT, "web");
const DIST = join(WEB, "dist");
const VITE = join(ROOT, "node_modules/vite/bin/vite.js");

/**
 * The packaged pages. A checkout builds them if they are missing or older than their sources, in parallel with the
 * start: the check takes milliseconds, the build a second. If the tools are missing or the build fails, the service
 * logs it and runs without pages.
 */
export function builtPages(log: Pick<Log, "info" | "warn">): BuiltPages {
  if (!IS_CHECKOUT || isCurrent())
    return { directory: DIST, ready: Promise.resolve(), stop: async () => undefined };
  if (!existsSync(VITE)) {
    log.warn("the pages are not built: the development dependencies are not installed");
    return { directory: DIST, ready: Promise.resolve(), stop: async () => undefined };
  }
  log.info("building the pages, which takes some seconds; the service starts meanwhile");
  const build = startBuild();
  const ready = build.done.then(() => log.info("the pages were built"));
  // Requests that are already waiting get the error too.
  ready.catch((error: unknown) => log.warn({ err: error }, "the pages could not be built"));
  return {
    directory: DIST,
    ready,
    async stop() {
      build.child.kill();
      await ready.catch(() => undefined);
    },
  };
}

/** Whether the pages are newer than all their sources. */
function isCurrent(): boolean {
  const built = modified(join(DIST, "connect.html"));
  if (built === 0) return false;
  const sources = readdirSync(WEB, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^(dist|\.build)/.test(name))
    .map((name) => join(WEB, name));
  return [...sources, join(ROOT, "package-lock.json")].every((path) => modified(path) <= built);
}

/** 0 if it does not exist. */
function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

interface Build {
  readonly child: ChildProcess;
  readonly done: Promise<void>;
}

/** Several services may start at once: each builds in a separate directory, and the first result is kept. */
function startBuild(): Build {
  const out = join(WEB, ".build", String(process.pid));
  const child = spawn(process.execPath, [VITE, "build", "--config", join(WEB, "vite.config.ts")], {
    cwd: ROOT,
    env: { ...process.env, PAGES_OUT: out, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  return { child, done: finishBuild(child, out) };
}

async function finishBuild(child: ChildProcess, out: string): Promise<void> {
  const problems: string[] = [];
  child.stderr?.on("data", (text: Buffer) => problems.push(String(text)));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(problems.join("").slice(-2_000) || `the build ended with ${code}`);
  await mkdir(join(WEB, ".build"), { recursive: true });
  const old = `${out}.old`;
  await rename(DIST, old).catch(() => undefined);
  await rename(out, DIST).catch(async (error: unknown) => {
    if (!existsSync(join(DIST, "connect.html"))) throw error;
    await rm(out, { recursive: true, force: true });
  });
  await rm(old, { recursive: true, force: true });
}
