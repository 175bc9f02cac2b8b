import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "../sandbox/server.ts";
import { openFront } from "../sandbox/walk/front.ts";
import { startLine } from "../test/kit/line.ts";
import * as service from "../test/kit/service.ts";
import { type Caller, caller } from "./api.ts";
import { gatherAll, gatheringsOf, settingsByTransport } from "./crowds.ts";
import { startEmbeddedPostgres } from "./embedded.ts";
import type { Account, Messenger } from "./members.ts";
import { createNode, type Node } from "./node.ts";
import { type PatroniOptions, startPatroni } from "./patroni/postgres.ts";
import type { Postgres } from "./postgres.ts";
import { startReceiver } from "./receiver.ts";
import { createWaits, type Waits } from "./waits.ts";

/** A database with its nodes. */
export interface Cell {
  readonly postgres: Postgres;
  readonly nodes: readonly Node[];
  /** The environment of commands that work on it. */
  readonly environment: service.Environment;
  /** Of the database, for commands of other cells. */
  readonly databaseUrl: string;
  /** Where the nodes of other cells reach its nodes. */
  readonly address: string;
}

/** The installation under test with its environment. */
export interface Stage {
  /** Directory of the nodes' logs. */
  readonly directory: string;
  /** Of the first cell, to which all requests go. */
  readonly postgres: Postgres;
  /** One, or two with moves between them. */
  readonly cells: readonly Cell[];
  /** Of all cells. */
  readonly nodes: readonly Node[];
  /** Requests to send a message that were not accepted, of all rounds. Moves cause none; an overloaded machine may. */
  readonly refusals: string[];
  readonly accounts: readonly Account[];
  readonly messengers: readonly Messenger[];
  accountOf(channelId: string): Account;
  readonly call: Caller;
  readonly waits: Waits;
  close(keepLogs: boolean): Promise<void>;
}

export interface StageOptions {
  readonly nodes: number;
  readonly accounts: number;
  readonly transports: readonly string[];
  /** Messengers that support both call the service instead of being polled. */
  readonly callbacks: boolean;
  /** A second cell, with which accounts are moved to and fro. */
  readonly moves: boolean;
  /** Null: the embedded PostgreSQL. */
  readonly patroni: Pick<PatroniOptions, "isSynchronous" | "faults"> | null;
  tell(line: string): void;
}

/** Everything runs, each account has a channel at each messenger, and its webhooks are on. */
export async function setStage(options: StageOptions): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "trunkline-soak-"));
  // The database runs as another user.
  await chmod(directory, 0o755);
  const closing: (() => Promise<unknown> | unknown)[] = [];
  const close = async (keepLogs: boolean): Promise<void> => {
    for (const end of closing.toReversed()) await end();
    if (!keepLogs) await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    return await build(options, directory, { closing, close });
  } catch (error) {
    await close(false);
    throw error;
  }
}

function startDatabase({ patroni, tell }: StageOptions, directory: string): Promise<Postgres> {
  if (patroni === null) return startEmbeddedPostgres(directory);
  return startPatroni({ directory, tell, ...patroni });
}

interface Closing {
  readonly closing: (() => Promise<unknown> | unknown)[];
  close(keepLogs: boolean): Promise<void>;
}

async function build(options: StageOptions, directory: string, { closing, close }: Closing): Promise<Stage> {
  const sandbox = await startSandbox({ keepAllMessages: true });
  closing.push(() => sandbox.close());
  const postgres = await startDatabase(options, directory);
  closing.push(() => postgres.stop());
  const gatherings = await gatheringsOf(options.transports);
  const home: Node[] = [];
  const front = await openFront(balancer(home));
  closing.push(() => front.close());
  const first: service.Environment = { ...settingsFor(options), PUBLIC_URL: front.url };
  const addNodes = async (
    prefix: string,
    to: Node[],
    database: Postgres,
    environment = first,
  ): Promise<void> => {
    for (let number = 1; number <= options.nodes; number++) {
      const messengers = await settingsByTransport(sandbox, gatherings);
      const name = `${prefix}node-${number}`;
      const node = await createNode({ name, directory, postgres: database, environment, messengers });
      closing.push(() => node.kill());
      to.push(node);
      await node.start();
    }
  };
  const cellOf = (name: string, database: Postgres, nodes: Node[], environment = first) =>
    openCell({ home: join(directory, name), postgres: database, nodes, environment, closing });
  const cells = [await cellOf("cell", postgres, home)];
  await addNodes("", home, postgres);
  if (options.moves) {
    const other = await startEmbeddedPostgres(join(directory, "other-cell"));
    closing.push(() => other.stop());
    const nodes: Node[] = [];
    const second = { ...first, CELL: "b" };
    const cell = await cellOf("other-cell", other, nodes, second);
    await service.runCommand(cell.environment, ["key", "adopt", "--from", cells[0]?.databaseUrl ?? ""]);
    await addNodes("other-", nodes, other, second);
    cells.push(cell);
  }
  const nodes = cells.flatMap((cell) => cell.nodes);
  const killAll = (): void => {
    for (const { service } of nodes) service?.child.kill("SIGKILL");
    for (const cell of cells) cell.postgres.kill();
  };
  process.once("exit", killAll);
  closing.push(() => process.off("exit", killAll));
  const call = caller(front.url);
  const accounts: Account[] = [];
  for (let number = 0; number < options.accounts; number++) {
    const account = await addAccount(cells[0]?.environment ?? first, call);
    closing.push(() => account.line.drop(), account.receiver.close);
    accounts.push(account);
  }
  const { messengers, owners } = await gatherAll({
    sandbox,
    gatherings,
    accounts,
    serviceUrl: front.url,
    call,
  });
  const accountOf = (channelId: string): Account => {
    const account = owners.get(channelId);
    if (account === undefined) throw new Error(`nobody has channel ${channelId}`);
    return account;
  };
  return {
    directory,
    postgres,
    cells,
    nodes,
    refusals: [],
    accounts,
    messengers,
    accountOf,
    call,
    waits: createWaits(),
    close,
  };
}

function settingsFor({ callbacks }: StageOptions): service.Environment {
  return {
    SECRET_KEY: randomBytes(32).toString("base64"),
    CALLBACKS: callbacks ? "on" : "off",
    // As by default: the troubles are timed for it.
    NODE_LEASE_MS: "3000",
    WEBHOOK_SCHEDULE: "1s,2s,3s",
    WEBHOOK_TIMEOUT_SECONDS: "5",
    WEBHOOK_MAX_ITEMS: "50",
  };
}

/** Round-robin over the nodes; a stopped node refuses the connection. */
function balancer(nodes: readonly Node[]): () => string {
  let turn = 0;
  let last = "";
  return () => {
    const running = nodes.flatMap(({ service }) => service?.url ?? []);
    last = running[turn++ % running.length] ?? last;
    return last;
  };
}

interface CellParts {
  /** The DATA_DIR of commands. */
  readonly home: string;
  readonly postgres: Postgres;
  readonly nodes: readonly Node[];
  readonly environment: service.Environment;
  readonly closing: Closing["closing"];
}

async function openCell({ home, postgres, nodes, environment, closing }: CellParts): Promise<Cell> {
  await mkdir(join(home, "files"), { recursive: true });
  await chmod(home, 0o755);
  const line = await startLine(postgres.address);
  const front = await openFront(balancer(nodes));
  closing.push(
    () => line.drop(),
    () => front.close(),
  );
  const databaseUrl = postgres.urlAt(line.port);
  return {
    postgres,
    nodes,
    databaseUrl,
    address: front.url,
    environment: { ...environment, DATABASE_URL: databaseUrl, DATA_DIR: home },
  };
}

async function addAccount(environment: service.Environment, call: Caller): Promise<Account> {
  const receiver = await startReceiver();
  const line = await startLine({ host: "127.0.0.1", port: receiver.port });
  const account = { ...(await service.createAccount(environment)), receiver, line };
  const body = {
    webhooksUri: `http://127.0.0.1:${line.port}`,
    subscriptions: { messagesAndStatuses: true },
  };
  const { status, json } = await call(account, { method: "PATCH", path: "/v3/webhooks", body });
  if (status !== 200) throw new Error(`the webhooks were refused: ${status} ${JSON.stringify(json)}`);
  return account;
}
