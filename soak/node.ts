import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Line, startLine } from "../test/kit/line.ts";
import { type Environment, type Exit, type ServiceProcess, startService } from "../test/kit/service.ts";
import type { Postgres } from "./postgres.ts";

/** One node of the installation, with its own proxied connections to the database and to each messenger. */
export interface Node {
  readonly name: string;
  /** Null while the process is stopped. */
  readonly service: ServiceProcess | null;
  readonly database: Line;
  readonly databaseUrl: string;
  readonly messengers: ReadonlyMap<string, Line>;
  /** How its processes ended unexpectedly. */
  readonly deaths: readonly string[];
  /** Ends its process and starts another one after a while; ignores calls meanwhile. */
  restart(signal: NodeJS.Signals, awayMs: number): Promise<Exit | null>;
  /** Pids of its worker processes. */
  workers(): number[];
  start(): Promise<void>;
  /** Stops it gracefully. */
  stop(): Promise<Exit | null>;
  /** Kills what is left of it. */
  kill(): Promise<void>;
}

const START_AGAIN_MS = 250;

export interface NodeOptions {
  readonly name: string;
  readonly directory: string;
  readonly postgres: Postgres;
  /** Settings of all nodes. */
  readonly environment: Environment;
  /** By transport: the variables that direct it to its emulator. */
  readonly messengers: Readonly<Record<string, Environment>>;
}

export async function createNode(options: NodeOptions): Promise<Node> {
  const { name, directory, postgres } = options;
  const database = await startLine(postgres.address);
  const messengers = new Map<string, Line>();
  const settings: Record<string, string> = { DATABASE_URL: postgres.urlAt(database.port) };
  for (const [transport, variables] of Object.entries(options.messengers)) {
    const { line, environment } = await lineTo(variables);
    if (line !== null) messengers.set(transport, line);
    Object.assign(settings, environment);
  }
  const dataDir = join(directory, name);
  await mkdir(dataDir, { recursive: true });
  const program = new NodeProgram({
    environment: { ...options.environment, ...settings, DATA_DIR: dataDir, NODE_NAME: name },
    logFile: join(directory, `${name}.log`),
  });
  return {
    name,
    get service() {
      return program.service;
    },
    database,
    databaseUrl: postgres.urlAt(database.port),
    messengers,
    deaths: program.deaths,
    restart: (signal, awayMs) => program.restart(signal, awayMs),
    workers: () => childrenOf(program.service?.child.pid),
    start: () => program.start(),
    stop: () => program.end("SIGTERM"),
    async kill() {
      await program.kill();
      database.drop();
      for (const line of messengers.values()) line.drop();
    },
  };
}

/** The processes of a node, one after the other. */
class NodeProgram {
  readonly deaths: string[] = [];
  readonly #environment: Environment;
  readonly #logFile: string;
  #service: ServiceProcess | null = null;
  #isRestarting = false;
  #isOver = false;

  constructor({ environment, logFile }: { readonly environment: Environment; readonly logFile: string }) {
    this.#environment = environment;
    this.#logFile = logFile;
  }

  get service(): ServiceProcess | null {
    return this.#service;
  }

  /** Retries until it succeeds: the database may be unavailable. */
  async start(): Promise<void> {
    while (!this.#isOver) {
      const started = await startService(this.#environment).catch((error: Error) =>
        this.#keep(error.message),
      );
      if (started !== undefined) return this.#watch(started);
      await sleep(START_AGAIN_MS);
    }
  }

  async restart(signal: NodeJS.Signals, awayMs: number): Promise<Exit | null> {
    if (this.#isRestarting) return null;
    this.#isRestarting = true;
    try {
      const exit = await this.end(signal);
      await sleep(awayMs);
      await this.start();
      return exit;
    } finally {
      this.#isRestarting = false;
    }
  }

  async end(signal: NodeJS.Signals): Promise<Exit | null> {
    const ending = this.#service;
    if (ending === null) return null;
    this.#service = null;
    const exit = await ending.end(signal);
    this.#keep(ending.output());
    return exit;
  }

  async kill(): Promise<void> {
    this.#isOver = true;
    await this.end("SIGKILL");
  }

  #watch(started: ServiceProcess): void {
    this.#service = started;
    void started.ended.then((exit) => {
      if (this.#service === started) this.deaths.push(JSON.stringify(exit));
    });
  }

  #keep(output: string): undefined {
    appendFileSync(this.#logFile, `${output}\n`);
  }
}

/** A proxy to the server named by these variables, and the variables with the proxy's port. */
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
    // The name, in parentheses, may contain any characters.
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
  } catch {
    return undefined;
  }
}
