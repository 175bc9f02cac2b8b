import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { type Identity, makePrivate, serverIdentity } from "../../src/database/embedded/identity.ts";
import { sendSignal } from "../../src/database/embedded/processes.ts";
import { findProgram } from "./installed-programs.ts";
import { freePort, listens } from "./own-port.ts";

/** The program; undefined where it is not installed (Debian's package "pgbouncer"). */
export const pgbouncer = findProgram("pgbouncer");

interface PoolerOptions {
  readonly program: string;
  readonly directory: string;
  readonly mode: "session" | "transaction";
  /** The database behind it. */
  readonly url: string;
}

/** A real PgBouncer with only the settings that it needs. `url` leads to it; `stop` ends it. */
export async function startPgbouncer({ program, directory, mode, url }: PoolerOptions) {
  const { username, password, pathname, searchParams, hostname, port: serverPort } = new URL(url);
  const database = pathname.slice(1);
  const host = searchParams.get("host") ?? hostname;
  const identity = serverIdentity();
  await makePrivate(directory, identity);
  const port = await freePort();
  const file = join(directory, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
${database} = host=${host} port=${serverPort || 5432} dbname=${database} user=${username} password='${decodeURIComponent(password)}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  );
  const child = spawn(program, [file], { ...own(identity), stdio: "ignore" });
  const ended = once(child, "exit");
  await vi.waitUntil(() => listens(port));
  return {
    url: `postgres://${username}@127.0.0.1:${port}/${database}`,
    async stop() {
      sendSignal(child.pid, "SIGQUIT");
      await ended;
    },
  };
}

/** It refuses to run as root. */
function own(identity: Identity): object {
  return { ...identity, cwd: "/" };
}
