import { expect, onTestFinished, test, vi } from "vitest";
import { parkedOfSink } from "../../src/core/delivery/sink/sink.ts";
import { startNatsBroker } from "../kit/nats-broker.ts";
import { runCommand } from "../kit/service.ts";
import { startStand } from "../kit/stand.ts";

const WAITING = { timeout: 120_000, interval: 50 };

test("what the sink refused to the end is published again by a command, marked, under the same ids", async () => {
  const broker = await startNatsBroker({ user: "gateway", password: "secret", identity: null });
  onTestFinished(() => broker.stop());
  const stand = await startStand({
    settings: { SINK_URL: `nats://gateway:secret@127.0.0.1:${broker.port}`, SINK_EVENTS: "messages" },
  });
  onTestFinished(() => stand.stop());
  await stand.start();
  const channel = await stand.addChannel(3);
  for (const person of channel.people) await channel.bot.write(person, "Hello");
  // Also of what the people began the bot with.
  const events = () =>
    stand.db.query<{ id: string; body: string }>(
      "select account_id || '-' || id as id, body from events where kind = 'messages'",
    );
  const greetings = async () => (await events()).filter(({ body }) => body.includes('"Hello"'));
  await vi.waitUntil(async () => (await greetings()).length === channel.people.length, WAITING);
  const ids = (await events()).map(({ id }) => id).toSorted();
  await vi.waitUntil(() => ids.every((id) => broker.headers.has(id)), WAITING);
  for (const headers of broker.headers.values()) expect(headers).not.toContain("replay");

  await stand.db.query(
    `insert into webhook_retries
       (account_id, endpoint_id, event_id, cursor_id, state, kind, channel_id, chat, subject, body, created_at, parked_at, reason)
     select e.account_id, r.id, e.id, r.id, 'parked', e.kind, e.channel_id, e.chat, e.subject, e.body, now(), now(), 'too large'
     from events e join webhook_endpoints r on r.account_id = e.account_id and r.version = 'sink'
     where e.account_id || '-' || e.id = any($1)`,
    [ids],
  );
  const parts = await parkedOfSink(stand.db, 2);
  expect(parts.map(({ eventIds }) => eventIds.length)).toEqual(
    Array.from({ length: Math.ceil(ids.length / 2) }, (_, part) => Math.min(2, ids.length - 2 * part)),
  );
  const inParts = parts.flatMap(({ accountId, eventIds }) => eventIds.map((id) => `${accountId}-${id}`));
  expect(inParts.toSorted()).toEqual(ids);

  const settings = { ...stand.environment };
  expect(JSON.parse(await runCommand(settings, ["sink", "replay", "--json"]))).toEqual({ accounts: 1 });
  await vi.waitUntil(() => ids.every((id) => broker.headers.get(id)?.includes("replay: true")), WAITING);
  await vi.waitUntil(async () => (await parkedOfSink(stand.db)).length === 0, WAITING);
  expect([...broker.headers.keys()].toSorted()).toEqual(ids);
}, 240_000);
