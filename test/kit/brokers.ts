import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect as connectNats } from "@nats-io/transport-node";
import { connect, type GetMessage } from "amqplib";
import { vi } from "vitest";
import type { ServerIdentity } from "../../sandbox/whatsapp/tls/certificate.ts";
import { findProgram, isProgram } from "./installed-programs.ts";
import { freePort, listens } from "./own-port.ts";

/** What a consumer of the broker has got, in the order of the broker. */
export interface Consumed {
  readonly id: string;
  readonly route: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A real broker on a port of its own. It keeps what it has stored while it is down. */
export interface TestBroker {
  readonly url: string;
  /** By TLS, if it has an identity. */
  readonly secureUrl: string | null;
  readonly target: string;
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Everything that it has stored. */
  read(): Promise<readonly Consumed[]>;
  /** Forgets what it has stored. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

/** Larger messages are refused. */
const MAX_MESSAGE_BYTES = 8_192;

/** Debian's scripts want to be root or their own user; the program itself does not. */
export const rabbitmq = ["/usr/lib/rabbitmq/bin/rabbitmq-server"].find(isProgram);
export const epmd = findProgram("epmd");
export const nats = findProgram("nats-server");

const USER = "gateway";
/** Characters of URLs in it have to be encoded. */
const PASSWORD = "pass@word/1";
const VHOST = "events";
const QUEUE = "all";

/**
 * RabbitMQ with an exchange to which one queue is bound. `directory`: an empty one. `identity`: for TLS on another port.
 */
export async function startRabbitMq(
  directory: string,
  identity: ServerIdentity | null = null,
): Promise<TestBroker> {
  if (rabbitmq === undefined || epmd === undefined) throw new Error("RabbitMQ is not installed");
  const program = rabbitmq;
  const [port, dist, names, securePort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const config = join(directory, "rabbitmq.conf");
  writeFileSync(
    config,
    `listeners.tcp.1 = 127.0.0.1:${port}
default_user = ${USER}
default_pass = ${PASSWORD}
default_vhost = ${VHOST}
max_message_size = ${MAX_MESSAGE_BYTES}
vm_memory_high_watermark.absolute = 1GB
disk_free_limit.absolute = 1MB
log.console = false
${identity === null ? "" : secureListener(directory, securePort, identity)}`,
  );
  writeFileSync(join(directory, "plugins"), "[].");
  const mapper = spawn(epmd, ["-port", String(names), "-address", "127.0.0.1"], { stdio: "ignore" });
  const environment = {
    PATH: process.env["PATH"],
    HOME: directory,
    ERL_EPMD_PORT: String(names),
    RABBITMQ_NODENAME: `test-${port}@localhost`,
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(dist),
    RABBITMQ_CONFIG_FILE: config,
    RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, "plugins"),
    RABBITMQ_MNESIA_BASE: join(directory, "data"),
    RABBITMQ_LOG_BASE: join(directory, "log"),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none",
  };
  const login = `${USER}:${encodeURIComponent(PASSWORD)}`;
  const url = `amqp://${login}@127.0.0.1:${port}/${VHOST}`;
  const server = processOf(
    () => spawn(program, [], { env: environment, stdio: "ignore", detached: true, cwd: directory }),
    {
      isReady: async () => {
        if (!(await listens(port))) return false;
        const connection = await connect(url).catch(() => null);
        await connection?.close();
        return connection !== null;
      },
    },
  );
  await server.start();
  await withAmqp(url, async (channel) => {
    await channel.assertExchange("gateway.events", "topic", { durable: true });
    await channel.assertQueue(QUEUE, { durable: true });
    await channel.bindQueue(QUEUE, "gateway.events", "#");
  });
  return {
    url,
    secureUrl: identity === null ? null : `amqps://${login}@localhost:${securePort}/${VHOST}`,
    target: "gateway.events",
    ...server,
    read: () =>
      withAmqp(url, async (channel) => {
        const found: Consumed[] = [];
        // What is not acknowledged returns to the queue, in its old order.
        for (;;) {
          const message = await channel.get(QUEUE);
          if (message === false) return found;
          found.push(consumedOf(message));
        }
      }),
    clear: () => withAmqp(url, async (channel) => void (await channel.purgeQueue(QUEUE))),
    async stop() {
      await server.kill();
      mapper.kill("SIGKILL");
    },
  };
}

function secureListener(
  directory: string,
  port: number,
  { key, certificate, authority }: ServerIdentity,
): string {
  const files = { certfile: certificate, keyfile: key, cacertfile: authority };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, `${name}.pem`), text);
  return `listeners.ssl.1 = 127.0.0.1:${port}
${Object.keys(files)
  .map((name) => `ssl_options.${name} = ${join(directory, `${name}.pem`)}`)
  .join("\n")}
`;
}

function consumedOf({ content, fields, properties }: GetMessage): Consumed {
  const { messageId, headers } = properties;
  return {
    id: String(messageId),
    route: fields.routingKey,
    headers: headers as Record<string, string>,
    body: content.toString(),
  };
}

type Channel = Awaited<ReturnType<Awaited<ReturnType<typeof connect>>["createChannel"]>>;

async function withAmqp<T>(url: string, work: (channel: Channel) => Promise<T>): Promise<T> {
  const connection = await connect(url);
  try {
    return await work(await connection.createChannel());
  } finally {
    await connection.close();
  }
}

/** NATS with a stream of JetStream on the disk. `directory`: an empty one. */
export async function startNats(directory: string): Promise<TestBroker> {
  if (nats === undefined) throw new Error("NATS is not installed");
  const program = nats;
  const port = await freePort();
  const config = join(directory, "nats.conf");
  mkdirSync(join(directory, "stream"));
  writeFileSync(
    config,
    `listen: 127.0.0.1:${port}
max_payload: ${MAX_MESSAGE_BYTES}
jetstream { store_dir: "${join(directory, "stream")}" }
authorization { users: [ { user: "${USER}", password: "${PASSWORD}" } ] }
`,
  );
  const place = { servers: `127.0.0.1:${port}`, user: USER, pass: PASSWORD };
  const isReady = async (): Promise<boolean> => {
    if (!(await listens(port))) return false;
    const connection = await connectNats({ ...place, reconnect: false }).catch(() => null);
    if (connection === null) return false;
    const works = await jetstreamManager(connection).then(
      (manager) => manager.getAccountInfo().then(() => true),
      () => false,
    );
    await connection.close();
    return works;
  };
  const server = processOf(() => spawn(program, ["-c", config], { stdio: "ignore", detached: true }), {
    isReady,
  });
  await server.start();
  const withStream = async <T>(work: (manager: Manager) => Promise<T>): Promise<T> => {
    const connection = await connectNats(place);
    try {
      return await work(await jetstreamManager(connection));
    } finally {
      await connection.close();
    }
  };
  await withStream((manager) => manager.streams.add({ name: "EVENTS", subjects: ["gateway.events.>"] }));
  return {
    url: `nats://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
    secureUrl: null,
    target: "gateway.events",
    ...server,
    read: () =>
      withStream(async (manager) => {
        const { state } = await manager.streams.info("EVENTS");
        const found: Consumed[] = [];
        for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
          const message = await manager.streams.getMessage("EVENTS", { seq });
          if (message === null) continue;
          const headers = Object.fromEntries(
            [...message.header.keys()].map((name) => [name, message.header.get(name)]),
          );
          const { "Nats-Msg-Id": id = "", ...own } = headers;
          const route = message.subject.slice("gateway.events.".length);
          found.push({ id, route, headers: own, body: message.string() });
        }
        return found;
      }),
    clear: () => withStream(async (manager) => void (await manager.streams.purge("EVENTS"))),
    stop: server.kill,
  };
}

/** Debian's package "kcat". */
export const kcat = findProgram("kcat");

interface KafkaLine {
  readonly key: string;
  readonly headers: readonly string[];
  readonly payload: string;
}

/**
 * The Kafka cluster with which librdkafka is tested, in a process of kcat that also consumes the topic. It knows no limits
 * and no users, makes topics when they are asked for, and keeps nothing when it ends.
 */
export async function startKafka(): Promise<TestBroker> {
  if (kcat === undefined) throw new Error("kcat is not installed");
  const target = "gateway.events";
  const words = ["-C", "-b", "unused", "-X", "test.mock.num.brokers=1", "-t", target, "-J", "-u"];
  const child = spawn(kcat, words, { stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  let said = "";
  child.stderr.on("data", (text: Buffer) => {
    said += text.toString();
  });
  const address = (): string | undefined => /replaced with (\S+)/.exec(said)?.[1];
  await vi.waitUntil(() => address() !== undefined, { timeout: 60_000 });
  return {
    url: `kafka://${address()}`,
    secureUrl: null,
    target,
    start: () => Promise.reject(new Error("it has forgotten everything")),
    async kill() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
    async read() {
      return lines.map((line) => {
        const { key, headers: list, payload } = JSON.parse(line) as KafkaLine;
        const { id = "", ...headers } = Object.fromEntries(
          list.flatMap((name, place) => (place % 2 === 0 ? [[name, list[place + 1] ?? ""]] : [])),
        ) as Record<string, string>;
        return { id, route: key, headers, body: payload };
      });
    },
    clear: () => Promise.resolve(),
    async stop() {
      child.kill("SIGKILL");
    },
  };
}

type Manager = Awaited<ReturnType<typeof jetstreamManager>>;

/** A server that is started again and again; signals go to its whole process group. */
function processOf(launch: () => ChildProcess, { isReady }: { isReady: () => Promise<boolean> }) {
  let child: ChildProcess | null = null;
  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid !== undefined) process.kill(-child.pid, name);
  };
  return {
    async start() {
      child = launch();
      await vi.waitUntil(isReady, { timeout: 120_000, interval: 100 });
    },
    async kill() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      signal("SIGKILL");
      await ended;
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
  };
}
