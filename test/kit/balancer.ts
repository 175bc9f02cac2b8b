import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { freePort, listens } from "./own-port.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy/cells");

/** The two cells of `deploy/cells`: where their nodes are, and the first digits of the second one's account ids. */
export interface BalancedCells {
  readonly first: string;
  readonly second: string;
  readonly idRange: number;
}

export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Replaces what the machine decides, and fails if the file does not contain it. */
function adapt(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`deploy/cells does not contain ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

/** The second node of each cell is one that does not run. */
async function addressesOf({ first, second }: BalancedCells): Promise<(readonly [string, string])[]> {
  const absent = async () => `127.0.0.1:${await freePort()}`;
  return [
    ["10.0.1.11:8080", new URL(first).host],
    ["10.0.1.12:8080", await absent()],
    ["10.0.2.11:8080", new URL(second).host],
    ["10.0.2.12:8080", await absent()],
  ];
}

async function run(program: string, args: readonly string[], port: number): Promise<Balancer> {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += String(text);
  });
  const ended = once(child, "exit");
  await vi.waitUntil(
    async () => {
      if (child.exitCode !== null) throw new Error(`${program} ended:\n${said}`);
      return listens(port);
    },
    { timeout: 60_000, interval: 50 },
  );
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** The real HAProxy with the configuration of `deploy/cells`. `directory`: an empty one. */
export async function startHaproxy(
  program: string,
  directory: string,
  cells: BalancedCells,
): Promise<Balancer> {
  const port = await freePort();
  const [file, map] = [join(directory, "haproxy.cfg"), join(directory, "cells.map")];
  const text = readFileSync(join(DEPLOY, "haproxy.cfg"), "utf8");
  writeFileSync(
    file,
    adapt(text, [
      ["    user haproxy\n    group haproxy\n    maxconn 20000\n", "    maxconn 500\n"],
      ["/etc/haproxy/cells.map", map],
      ["    bind :80\n", `    bind 127.0.0.1:${port}\n`],
      ...(await addressesOf(cells)),
    ]),
  );
  const lines = readFileSync(join(DEPLOY, "cells.map"), "utf8");
  writeFileSync(map, adapt(lines, [["1417", String(cells.idRange)]]));
  return run(program, ["-f", file, "-db"], port);
}

/** The real nginx with the configuration of `deploy/cells`. `directory`: an empty one. */
export async function startNginx(
  program: string,
  directory: string,
  cells: BalancedCells,
): Promise<Balancer> {
  const port = await freePort();
  const file = join(directory, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => {
    mkdirSync(join(directory, name));
    return `    ${name}_temp_path ${join(directory, name)};\n`;
  });
  const text = readFileSync(join(DEPLOY, "nginx.conf"), "utf8");
  writeFileSync(
    file,
    adapt(text, [
      ["user www-data;\n", ""],
      ["worker_rlimit_nofile 65536;\n", ""],
      ["worker_connections 16384;", "worker_connections 512;"],
      ["/run/nginx.pid", join(directory, "nginx.pid")],
      ["/var/log/nginx/error.log", join(directory, "error.log")],
      ["http {\n", `http {\n${temporary.join("")}`],
      ["        listen 80;\n", `        listen 127.0.0.1:${port};\n`],
      ["~^(b|1417)$", `~^(b|${cells.idRange})$`],
      ...(await addressesOf(cells)),
    ]),
  );
  const log = join(directory, "error.log");
  return run(program, ["-c", file, "-p", directory, "-e", log, "-g", "daemon off;"], port);
}
