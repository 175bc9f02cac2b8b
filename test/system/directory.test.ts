import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTestDirectory, type TestDirectory } from "../kit/directory.ts";
import { runCommand, type ServiceProcess } from "../kit/service.ts";
import { type Channel, must, type Stand, send, startStand } from "../kit/stand.ts";

/** The whole service with a directory that stops to answer. */

const PATIENCE = { timeout: 120_000, interval: 100 };

let shared: TestDirectory;
let stand: Stand;
let service: ServiceProcess;
let channel: Channel;

beforeAll(async () => {
  shared = await startTestDirectory();
  const settings = { CELL: "a", CELL_ADDRESS: "http://127.0.0.1:1", DIRECTORY_URL: shared.url };
  stand = await startStand({ settings });
  service = await stand.start();
  channel = await stand.addChannel(1);
});
afterAll(async () => {
  shared.thaw();
  await stand.stop();
  await shared.stop();
});

const person = (): string => channel.people[0] ?? "";
const links = async (): Promise<number> => (await shared.db.query("select 1 from links")).length;

async function create(): Promise<{ id: string; isActive: () => Promise<boolean> }> {
  const bot = await stand.telegram.addBot([]);
  const body = { transport: "telegram", credentials: { telegram_token: bot.token } };
  const { json } = await must(stand.call("POST", "/v2/channels", body));
  const [{ channel_id: id = "" } = {}] = (json as { data: { channel_id: string }[] }).data;
  const isActive = async () =>
    JSON.stringify((await must(stand.call("GET", `/v2/channels/${id}`))).json).includes('"status":"active"');
  return { id, isActive };
}

test("messages flow and nodes restart while the directory is frozen; a new link waits until it answers", async () => {
  expect(await links()).toBe(1);
  await vi.waitUntil(
    async () => (await shared.db.query("select 1 from accounts where cell = 'a'")).length === 1,
    PATIENCE,
  );
  shared.freeze();
  await send(stand, channel, person(), "before");
  await channel.bot.untilSent(1);

  const waiting = await create();
  await vi.waitUntil(async () => {
    const query = "select 1 from channels where id = $1 and login_prompt like '%waits%'";
    return (await stand.db.query(query, [waiting.id])).length === 1;
  }, PATIENCE);

  // The new node has never reached the directory.
  await service.end("SIGTERM");
  service = await stand.start();
  await send(stand, channel, person(), "after");
  await channel.bot.untilSent(2);
  await channel.bot.write(person(), "Hello");
  await stand.receiver.until(() => stand.receiver.posts.some(({ body }) => body.includes("Hello")));
  expect(await waiting.isActive()).toBe(false);
  await vi.waitUntil(() => service.output().includes("the directory cannot be reached"), PATIENCE);
  expect(JSON.parse(await runCommand(stand.environment, ["account", "list", "--json"]))).toHaveLength(1);

  shared.thaw();
  await vi.waitUntil(() => waiting.isActive(), PATIENCE);
  expect(await links()).toBe(2);
  await vi.waitUntil(() => service.output().includes("the directory answers again"), PATIENCE);
  const show = async () =>
    JSON.parse(await runCommand(stand.environment, ["directory", "show", "--json"])) as object[];
  await expect
    .poll(show, PATIENCE)
    .toMatchObject([{ name: "a", address: "http://127.0.0.1:1", accounts: 1, links: 2 }]);
});
