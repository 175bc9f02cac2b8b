import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Line, startLine } from "../test/kit/line.ts";
import { type Environment, type Exit, type ServiceProcess, startService } from "../test/kit/service.ts";
import type { Postgres } from "./postgres.ts";

/** One node of the installation, with lines of its own to the database and to each messenger. */
export interface Node {
  readonly name: string;
  /** Null while the process is away. */
  readonly service: ServiceProcess | null;
  readonly database: Line;
  readonly databaseUrl: string;
  readonly messengers: ReadonlyMap<string, Line>;
  /** How its processes ended that nobody ended. */
  readonly deaths: readonly string[];
  /** Ends its process and starts another one after a while; while that happens, other calls are ignored. */
  restart(signal: NodeJS.Signals, awayMs: number): Promise<Exit | null>;
  /** Pids of its worker processes. */
  workers(): number[];
  start(): Promise<void>;
  /** Ends it in order. */
  stop(): Promise<Exit | null>;
  /** Ends whatever is left of it. */
  kill(): Promise<void>;
}

const START_AGAIN_MS = 250;

export interface NodeOptions {
  readonly name: string;
  readonly directory: string;
  readonly postgres: Postgres;
  /** Settings of all nodes. */
  readonly environment: Environment;
  /** By transport: the variables that lead to its emulator. */
  readonly messengers: Readonly<Record<string, Environment>>;
}

export async function createNode(options: NodeOptions): Promise<Node> {
  const { name, directory, postgres } = options;
  const database = await startLine({ path: postgres.socket });
  const messengers = new Map<string, Line>();
  const settings: Record<string, string> = { DATABASE_URL: postgres.urlAt(database.port) };
  for (const [transport, variables] of Object.entries(options.messengers)) {
    const { line, environment } = await lineTo(variables);
    if (line !== null) messengers.set(transport, line);
    Object.assign(settings, environment);
  }
  const dataDir = join(directory, name);
  await mkdir(dataDir, { recursive: true });
  const environment = { ...options.environment, ...settings, DATA_DIR: dataDir, NODE_NAME: name };
  let service: ServiceProcess | null = null;
  const deaths: string[] = [];
  let isRestarting = false;
  let isOver = false;

  /** Until it succeeds: the database may be away. */
  async function start(): Promise<void> {
    while (!isOver) {
      const started = await startService(environment).catch((error: Error) => keep(error.message));
      if (started !== undefined) {
        service = started;
        void started.ended.then((exit) => {
          if (service === started) deaths.push(JSON.stringify(exit));
        });
        return;
      }
      await sleep(START_AGAIN_MS);
    }
  }

  const keep = (output: string): undefined =>
    void appendFileSync(join(directory, `${name}.log`), `${output}\n`);

  async function end(signal: NodeJS.Signals): Promise<Exit | null> {
    const ending = service;
    if (ending === null) return null;
    service = null;
    const exit = await ending.end(signal);
    keep(ending.output());
    return exit;
  }

  return {
    name,
    get service() {
      return service;
    },
    database,
    databaseUrl: postgres.urlAt(database.port),
    messengers,
    deaths,
    async restart(signal, awayMs) {
      if (isRestarting) return null;
      isRestarting = true;
      try {
        const exit = await end(signal);
        await sleep(awayMs);
        await start();
        return exit;
      } finally {
        isRestarting = false;
      }
    },
    workers: () => childrenOf(service?.child.pid),
    start,
    stop: () => end("SIGTERM"),
    async kill() {
      isOver = true;
      await end("SIGKILL");
      database.drop();
      for (const line of messengers.values()) line.drop();
    },
  };
}

/** A line to the server that these variables name, and the variables with the line's port in its place. */
async function lineTo(variables: Environment): Promise<{ line: Line | null; environment: Environment }> {
  const address = Object.values(variables).find((value) => /^(http|ws)s?:/.test(value));
  if (address === undefined) return { line: null, environment: variables };
  const { host, hostname, port } = new URL(address);
  const line = await startLine({ host: hostname, port: Number(port) });
  const entries = Object.entries(variables).map(
    ([variable, value]) => [variable, value.replace(`//${host}`, `//${hostname}:${line.port}`)] as const,
  );
  return { line, environment: Object.fromEntries(entries) };
}

function childrenOf(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    // The name, in brackets, may hold anything.
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
  } catch {
    return undefined;
  }
}
