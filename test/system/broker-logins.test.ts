import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { makeServerIdentity } from "../../sandbox/whatsapp/tls/certificate.ts";
import { epmd, rabbitmq, startRabbitMq } from "../kit/brokers.ts";
import { startKafkaBroker } from "../kit/kafka-broker.ts";
import { startNatsBroker } from "../kit/nats-broker.ts";
import { startStand } from "../kit/stand.ts";

const LASTS = 240_000;
const TARGET = "gateway.events";
const USER = "gateway";
const PASSWORD = "pass@word/1";
const WRONG = "not-this";
const directory = mkdtempSync(join(tmpdir(), "trunkline-logins-"));
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));

const byName = makeServerIdentity(["localhost"]);
const byAddress = makeServerIdentity(["127.0.0.1"]);
const PROGRAM = new URL("programs/publish.ts", import.meta.url).pathname;

/**
 * What came of a check and of a publication, by a process that trusts only Node's authorities and this one: "ok", or
 * the error.
 */
async function publish(url: string, authority: string | null): Promise<readonly string[]> {
  const file = join(directory, "authority.pem");
  if (authority !== null) writeFileSync(file, authority);
  const env = { ...process.env, ...(authority === null ? {} : { NODE_EXTRA_CA_CERTS: file }) };
  const child = spawn(process.execPath, [PROGRAM, url, TARGET, "60000"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [printed, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(problems).toBe("");
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), WRONG]) expect(printed).not.toContain(secret);
  return JSON.parse(printed) as string[];
}

const WORKS = ["ok", "ok"];
const bothFail = (reason: RegExp): object => {
  const failure = expect.stringMatching(reason);
  return [failure, failure];
};
const credentials = (password = PASSWORD): string => `${USER}:${encodeURIComponent(password)}`;

test.each([
  ["", "PLAIN"],
  ["?sasl=scram-sha-256", "SCRAM-SHA-256"],
  ["?sasl=scram-sha-512", "SCRAM-SHA-512"],
])(
  "Kafka%s: the user signs in by %s, over TLS to the name of the broker",
  async (query, mechanism) => {
    const broker = await startKafkaBroker({
      host: "localhost",
      topic: TARGET,
      login: { user: USER, password: PASSWORD },
      identity: byName,
    });
    onTestFinished(() => broker.stop());
    const at = (password?: string): string =>
      `kafkas://${credentials(password)}@localhost:${broker.port}${query}`;
    expect(await publish(at(WRONG), byName.authority)).toEqual(bothFail(/SASL_AUTHENTICATION_FAILED/));
    expect(broker.stored).toHaveLength(0);
    expect(await publish(at(), byName.authority)).toEqual(WORKS);
    expect(broker.stored).toHaveLength(1);
    expect([...broker.mechanisms]).toEqual([mechanism]);
    expect([...broker.names]).toEqual(["localhost"]);
  },
  LASTS,
);

test(
  "Kafka: a certificate must be of a known authority, and of the host that was asked",
  async () => {
    const login = { user: USER, password: PASSWORD };
    const named = await startKafkaBroker({ host: "localhost", topic: TARGET, login, identity: byName });
    onTestFinished(() => named.stop());
    const numbered = await startKafkaBroker({ host: "127.0.0.1", topic: TARGET, login, identity: byAddress });
    onTestFinished(() => numbered.stop());
    const at = (host: string, port: number): string => `kafkas://${credentials()}@${host}:${port}`;
    expect(await publish(at("localhost", named.port), null)).toEqual(bothFail(/UNABLE_TO_VERIFY/));
    expect(await publish(at("127.0.0.1", named.port), byName.authority)).toEqual(bothFail(/ALTNAME_INVALID/));
    expect(named.mechanisms.size + named.stored.length).toBe(0);
    expect(await publish(at("127.0.0.1", numbered.port), byAddress.authority)).toEqual(WORKS);
  },
  LASTS,
);

test(
  "NATS: user and password go over TLS alone, to the host that was asked",
  async () => {
    const [named, numbered, open] = [
      await startNatsBroker({ user: USER, password: PASSWORD, identity: byName }),
      await startNatsBroker({ user: USER, password: PASSWORD, identity: byAddress }),
      await startNatsBroker({ user: USER, password: PASSWORD, identity: null }),
    ];
    for (const each of [named, numbered, open]) onTestFinished(() => each.stop());
    const at = (host: string, port: number, password?: string): string =>
      `natss://${credentials(password)}@${host}:${port}`;
    expect(await publish(at("localhost", named.port), null)).toEqual(bothFail(/UNABLE_TO_VERIFY/));
    expect(await publish(at("127.0.0.1", named.port), byName.authority)).toEqual(bothFail(/ALTNAME_INVALID/));
    expect(await publish(at("localhost", open.port), byName.authority)).toEqual(
      bothFail(/does not support 'tls'/),
    );
    expect([...named.logins, ...open.logins]).toEqual([]);

    expect(await publish(at("localhost", named.port, WRONG), byName.authority)).toEqual(
      bothFail(/authorization violation/i),
    );
    expect(named.subjects).toEqual([]);
    expect(await publish(at("localhost", named.port), byName.authority)).toEqual(WORKS);
    expect(named.subjects).toEqual([`${TARGET}.1.-.messages`]);
    expect(await publish(at("127.0.0.1", numbered.port), byAddress.authority)).toEqual(WORKS);
  },
  LASTS,
);

test(
  "NATS: the next host is tried, and all reasons are named",
  async () => {
    const broker = await startNatsBroker({ user: USER, password: PASSWORD, identity: byName });
    onTestFinished(() => broker.stop());
    const other = await startNatsBroker({ user: USER, password: WRONG, identity: byName });
    onTestFinished(() => other.stop());
    const hosts = `localhost:${other.port},localhost:${broker.port}`;
    expect(await publish(`natss://${credentials()}@${hosts}`, byName.authority)).toEqual(WORKS);
    await broker.stop();
    expect(await publish(`natss://${credentials()}@${hosts}`, byName.authority)).toEqual(
      bothFail(/authorization violation.*; .*refused/i),
    );
  },
  LASTS,
);

test(
  "a node whose password is refused says so once, without it, and publishes everything with the right one",
  async () => {
    const broker = await startNatsBroker({ user: USER, password: PASSWORD, identity: byName });
    onTestFinished(() => broker.stop());
    const authority = join(directory, "node-authority.pem");
    writeFileSync(authority, byName.authority);
    const urlWith = (password: string): string => `natss://${credentials(password)}@localhost:${broker.port}`;
    const stand = await startStand({
      settings: {
        SINK_URL: urlWith(WRONG),
        SINK_TARGET: TARGET,
        SINK_EVENTS: "messages",
        WEBHOOK_SCHEDULE: "100ms",
        NODE_EXTRA_CA_CERTS: authority,
      },
    });
    onTestFinished(() => stand.stop());
    const node = await stand.start();
    const channel = await stand.addChannel(2);
    for (const person of channel.people) await channel.bot.write(person, "Hello");
    const refusals = () => node.output().split("the event sink does not accept events; they wait").length - 1;
    await vi.waitUntil(() => refusals() > 0 && broker.logins.length > 5, { timeout: LASTS, interval: 50 });
    expect(refusals()).toBe(1);
    expect(node.output()).toMatch(/authorization violation/i);
    expect(node.output()).not.toContain(WRONG);
    expect(broker.subjects).toEqual([]);
    await node.end("SIGTERM");

    await stand.start({ SINK_URL: urlWith(PASSWORD) });
    const events = await stand.db.query<{ id: string }>(
      "select account_id || '-' || id as id from events where kind = 'messages'",
    );
    // What the people began the bot with, and their message.
    expect(events.length).toBeGreaterThanOrEqual(2);
    await vi.waitUntil(() => events.every(({ id }) => broker.headers.has(id)), {
      timeout: LASTS,
      interval: 50,
    });
    const subject = `${TARGET}.${stand.account.accountId}.${channel.id}.messages`;
    expect(new Set(broker.subjects)).toEqual(new Set([subject]));
  },
  LASTS,
);

test.skipIf(rabbitmq === undefined || epmd === undefined)(
  "RabbitMQ: the user signs in over TLS to the name of the broker",
  async () => {
    const place = mkdtempSync(join(directory, "rabbitmq-"));
    const broker = await startRabbitMq(place, byName);
    onTestFinished(() => broker.stop());
    const url = broker.secureUrl ?? "";
    expect(await publish(url, null)).toEqual(bothFail(/SELF_SIGNED_CERT/));
    expect(await publish(url.replace("localhost", "127.0.0.1"), byName.authority)).toEqual(
      bothFail(/ALTNAME_INVALID/),
    );
    expect(await publish(url.replace(/:[^:@]+@/, `:${WRONG}@`), byName.authority)).toEqual(
      bothFail(/login was refused/i),
    );
    expect(await broker.read()).toEqual([]);
    expect(await publish(url, byName.authority)).toEqual(WORKS);
    expect(await broker.read()).toHaveLength(1);
  },
  LASTS,
);
