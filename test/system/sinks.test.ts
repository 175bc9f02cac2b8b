import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { checkBroker } from "../../src/cli/doctor/sink.ts";
import { eachWaiting, MAX_COUNTED } from "../../src/core/delivery/cursor/waiting.ts";
import { parseBrokerAddress } from "../../src/platform/broker/address.ts";
import { type Broker, createBroker } from "../../src/platform/broker/broker.ts";
import {
  type Consumed,
  epmd,
  kcat,
  nats,
  rabbitmq,
  startKafka,
  startNats,
  startRabbitMq,
  type TestBroker,
} from "../kit/brokers.ts";
import { type Environment, runCommand, type ServiceProcess } from "../kit/service.ts";
import { type Channel, must, type Stand, startStand } from "../kit/stand.ts";

const PEOPLE = 20;
const MESSAGES = 1_500;
/** Messages of each of these people while the broker hangs. */
const LATE = 4;
const WRITERS = 5;
const TOTAL = MESSAGES + WRITERS * LATE;
/** Ends a test that hangs; not a performance limit. RabbitMQ takes long to start. */
const LONG = { timeout: 240_000, interval: 100 };
const LASTS = 600_000;
/** Debian's packages "rabbitmq-server", "nats-server" and "kcat". */
const BROKERS = [
  {
    name: "RabbitMQ",
    isInstalled: rabbitmq !== undefined && epmd !== undefined,
    start: startRabbitMq,
    isReal: true,
  },
  { name: "NATS JetStream", isInstalled: nats !== undefined, start: startNats, isReal: true },
  // It forgets everything when it is killed, and refuses nothing.
  {
    name: "Kafka as librdkafka emulates it",
    isInstalled: kcat !== undefined,
    start: startKafka,
    isReal: false,
  },
] as const;

for (const { name, isInstalled, start, isReal } of BROKERS)
  describe.skipIf(!isInstalled)(name, () => {
    let directory: string;
    let broker: TestBroker;
    let stand: Stand;
    let nodes: ServiceProcess[];
    let channel: Channel;

    /** Kills a node, and starts another one in its place. */
    const replaceNode = async (place: number): Promise<void> => {
      await nodes[place]?.end("SIGKILL");
      nodes[place] = await stand.start();
    };

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), "trunkline-broker-"));
      broker = await start(directory);
      stand = await startStand({ settings: sinkSettings(broker) });
      nodes = [await stand.start(), await stand.start()];
      channel = await stand.addChannel(PEOPLE);
    }, LASTS);
    afterAll(async () => {
      await stand.stop();
      await broker.stop();
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    }, LASTS);

    test(
      "nothing is lost and each chat keeps its order while nodes and the broker are killed, and the broker hangs",
      async () => {
        const loading = stand.telegram.admin("POST /load", {
          bot_id: channel.bot.id,
          users: PEOPLE,
          count: MESSAGES,
        });
        await untilPublished(stand, 50);
        const down = isReal ? broker.kill() : broker.freeze();
        await loading;
        await down;
        await vi.waitUntil(async () => (await received(stand, "load ")) >= MESSAGES, LONG);
        expect(await waiting(stand)).toBeGreaterThan(0);
        const before = await published(stand);
        const starting = isReal ? broker.start() : broker.thaw();
        await untilPublished(stand, before + 50);
        const first = replaceNode(0);
        await untilPublished(stand, before + 200);
        await Promise.all([starting, first, replaceNode(1)]);
        await vi.waitUntil(async () => (await waiting(stand)) === 0, LONG);

        broker.freeze();
        for (let late = 0; late < LATE; late++)
          for (const person of channel.people.slice(0, WRITERS))
            await channel.bot.write(person, `late ${MESSAGES + late}`);
        await vi.waitUntil(() => nodes.some((node) => /did not confirm|timed out/.test(node.output())), LONG);
        broker.thaw();
        await vi.waitUntil(async () => (await received(stand, "late ")) >= TOTAL - MESSAGES, LONG);
        await vi.waitUntil(async () => (await waiting(stand)) === 0, LONG);

        const read = async () =>
          (await broker.read()).filter((message) => /^(load|late) /.test(textsOf([message])[0] ?? ""));
        // The consumer of an emulated broker may be behind it.
        if (!isReal) await vi.waitUntil(async () => idsOf(await read()).size >= TOTAL, LONG);
        const all = await read();
        const arrivals = new Map(all.toReversed().map((message) => [message.id, message]));
        expect(arrivals.size).toBe(TOTAL);
        for (const repeated of all) expect(repeated).toEqual(arrivals.get(repeated.id));
        const inOrder = all.filter((message) => arrivals.get(message.id) === message);
        const chats = Map.groupBy(inOrder, ({ headers }) => headers["chat"]);
        expect(chats.size).toBe(PEOPLE + WRITERS);
        for (const messages of chats.values()) {
          const numbers = messages.map(numberOf);
          expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        }
        const [one] = all;
        expect(one?.route).toBe(
          isReal ? `${stand.account.accountId}.${channel.id}.messages` : one?.headers["chat"],
        );
        expect(one?.headers).toMatchObject({
          account: String(stand.account.accountId),
          channel: channel.id,
          time: expect.stringMatching(/^20.+Z$/),
        });
      },
      LASTS,
    );

    test.skipIf(!isReal)(
      "a message that is too large holds up its chat alone",
      async () => {
        await broker.clear();
        const [first = "", second = ""] = channel.people;
        await channel.bot.write(first, "€".repeat(4_000));
        await vi.waitUntil(async () => (await received(stand, "€")) > 0, LONG);
        await channel.bot.write(first, "after it");
        await channel.bot.write(second, "another chat");
        await vi.waitUntil(async () => textsOf(await broker.read()).includes("another chat"), LONG);
        await channel.bot.write(second, "again");
        await vi.waitUntil(async () => textsOf(await broker.read()).includes("again"), LONG);
        expect(textsOf(await broker.read())).not.toContain("after it");
        await vi.waitUntil(async () => (await waiting(stand)) === 2, LONG);
      },
      LASTS,
    );

    test.skipIf(!isReal)("says why it is not used, without the password", async () => {
      const withPassword = parseBrokerAddress(broker.url);
      const failures = [
        await failureOf(broker, { ...withPassword, password: "not-this" }),
        await failureOf({ ...broker, target: "nowhere" }, withPassword),
        ...(withPassword.kind === "amqp" ? [await failureOf(broker, { ...withPassword, path: "none" })] : []),
      ];
      expect(failures).toEqual([
        expect.stringMatching(/login was refused|authorization violation/i),
        expect.stringMatching(/no exchange 'nowhere'|no stream of JetStream takes "nowhere\./),
        ...(withPassword.kind === "amqp" ? [expect.stringMatching(/there is no virtual host "none"/)] : []),
      ]);
      for (const failure of failures) expect(failure).not.toMatch(/not-this|pass@word/);
    });

    test.skipIf(!isReal)(
      "commands show it, tenants do not see it, and a new account has it at once",
      async () => {
        const settings = { ...stand.environment };
        const shown = JSON.parse(await command(settings, "sink", "show")) as Record<string, unknown>;
        expect(shown).toMatchObject({
          accounts: 1,
          queued: 2,
          url: expect.stringMatching(/\(gateway\.events\)$/),
        });
        expect(JSON.stringify(shown)).not.toContain("pass");
        const sink = { address: parseBrokerAddress(broker.url), target: broker.target, events: [] };
        expect(await checkBroker({ sink }, true)).toMatchObject([{ name: "sink", status: "ok" }]);
        expect(await checkBroker({ sink: { ...sink, target: "nowhere" } }, true)).toMatchObject([
          { status: "fail", detail: expect.stringContaining("nowhere") },
        ]);

        const { json } = await must(stand.call("GET", "/v3/webhooks/receivers"));
        expect(json).toMatchObject([{ version: "v3" }]);
        expect(json).toHaveLength(1);

        const account = await stand.addAccount();
        const [own] = await stand.db.query<{ kinds: string[] }>(
          "select kinds from webhook_endpoints where account_id = $1 and version = 'sink'",
          [account.accountId],
        );
        expect(own?.kinds).toContain("messages");
      },
    );

    test.skipIf(!isReal)("it ends by a command, which discards nothing unasked", async () => {
      await Promise.all(nodes.map((node) => node.end("SIGTERM")));
      const settings = { ...stand.environment };
      await expect(command(settings, "sink", "drop")).rejects.toThrow("events wait for the sink");
      expect(JSON.parse(await command(settings, "sink", "drop", "--yes"))).toEqual({ accounts: 2 });
      expect(await command(settings, "sink", "show")).toBe("null\n");
    });
  });

function sinkSettings({ url, target }: TestBroker): Environment {
  return {
    SINK_URL: url,
    SINK_TARGET: target,
    NODE_LEASE_MS: "1500",
    WEBHOOK_MAX_ITEMS: "10",
    WEBHOOK_TIMEOUT_SECONDS: "3",
    WEBHOOK_SCHEDULE: "200ms",
  };
}

const SINK =
  "select count(*)::int as count from webhook_endpoints e join webhook_cursors c on c.endpoint_id = e.id";

/** Events that wait for the sink. */
async function waiting({ db }: Stand): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `${SINK} cross join ${eachWaiting("c", MAX_COUNTED)} w where e.version = 'sink'`,
  );
  return row?.count ?? 0;
}

/** Messages in the log with a text that begins like this. */
async function received({ db }: Stand, text: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from events where kind = 'messages' and body like '%"text":"' || $1 || '%'`,
    [text],
  );
  return row?.count ?? 0;
}

/** Messages that the sink has. */
async function published(stand: Stand): Promise<number> {
  const open = await waiting(stand);
  return (await received(stand, "load ")) - open;
}

/** Returns also if more were published meanwhile. */
async function untilPublished(stand: Stand, count: number): Promise<void> {
  await vi.waitUntil(async () => (await published(stand)) > count, { ...LONG, interval: 20 });
}

interface Body {
  readonly messages: readonly { readonly text?: string }[];
}

function idsOf(messages: readonly Consumed[]): ReadonlySet<string> {
  return new Set(messages.map(({ id }) => id));
}

function textsOf(messages: readonly Consumed[]): string[] {
  return messages
    .filter(({ headers }) => headers["kind"] === "messages")
    .flatMap(({ body }) => (JSON.parse(body) as Body).messages.map(({ text = "" }) => text));
}

function numberOf(message: Consumed): number {
  const [text = ""] = textsOf([message]);
  return Number(text.split(" ").at(-1));
}

async function failureOf(
  { target }: Pick<TestBroker, "target">,
  address: ReturnType<typeof parseBrokerAddress>,
): Promise<string> {
  const broker: Broker = createBroker({ address, target, timeoutMs: 10_000 });
  const message = { id: "1", key: "1", route: "1.-.messages", kind: "messages", at: new Date(), headers: {} };
  try {
    await broker.publish({ ...message, body: Buffer.from("{}") });
    return "";
  } catch (error) {
    return String(error);
  } finally {
    await broker.close();
  }
}

/** Its result as JSON. */
function command(settings: Environment, ...words: string[]): Promise<string> {
  return runCommand(settings, [...words, "--json"]);
}
