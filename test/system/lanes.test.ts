import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ChannelDemand, dueLanes } from "../../src/core/message/send-lanes.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

const ACCOUNT = 20_000_001;
const NODE = newId();

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await startTestDatabase();
  db = openDatabase({ connection: database.connection, log: quietLog, applicationName: "test" });
  await db.query("insert into accounts (id, name) values ($1, 'Test')", [ACCOUNT]);
});
afterAll(async () => {
  await db.close();
  await database.stop();
});

describe("a look for due lanes", () => {
  let channelId: string;

  beforeEach(async () => {
    channelId = await addChannel();
  });

  async function addChannel(accountId = ACCOUNT): Promise<string> {
    const id = newId();
    await db.query(
      `insert into channels (account_id, id, transport, status, credentials, owner, epoch)
       values ($1, $2, 'telegram', 'active', '', $3, 1)`,
      [accountId, id, NODE],
    );
    return id;
  }

  /** A chat that is due since so many minutes. */
  async function addChat(minutes: number, of = channelId, accountId = ACCOUNT): Promise<string> {
    const chat = newId();
    await db.query(
      "insert into send_lanes (account_id, channel_id, chat, due) values ($1, $2, $3, now() - $4 * interval '1 minute')",
      [accountId, of, chat, minutes],
    );
    return chat;
  }

  async function addMessages(chat: string, count: number, bytes: number): Promise<void> {
    await db.query(
      `with added as (
         insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
         select $1, gen_random_uuid(), $2, $3, 'out', 'text', 'queued', repeat('x', $5), now()
         from generate_series(1, $4::int) returning id)
       insert into send_jobs (account_id, channel_id, chat, message_id, kind, bytes)
       select $1, $2, $3, id, 'send', $5 from added`,
      [ACCOUNT, channelId, chat, count, bytes],
    );
  }

  const demand = (options: Partial<ChannelDemand> = {}): ChannelDemand => ({
    channelId,
    epoch: 1,
    lanes: 10,
    mindsFirstContacts: false,
    inHand: [],
    lanesOfAccount: 10,
    lanesOfTransport: 10,
    ...options,
  });
  const look = (demands: readonly ChannelDemand[], { jobsPerLane = 20, maxLanes = 10 } = {}) =>
    dueLanes(db, NODE, demands, { jobsPerLane, maxLanes });

  test("leaves out what was due before the lanes that are known", async () => {
    const chats = [await addChat(3), await addChat(2), await addChat(1)];
    const found = (await look([demand({ lanes: 2 })])).toSorted((a, b) => a.dueSince - b.dueSince);
    expect(found.map(({ chat }) => chat)).toEqual(chats.slice(0, 2));
    const rest = await look([demand({ lanes: 2, dueAfter: found[1]?.dueSince })]);
    expect(rest.map(({ chat }) => chat)).toEqual(chats.slice(2));
  });

  test("leaves out what is in hand", async () => {
    const [inHand, other] = [await addChat(2), await addChat(1)];
    expect((await look([demand({ inHand: [inHand] })])).map(({ chat }) => chat)).toEqual([other]);
  });

  test("takes accounts in turns, and no more of an account than it may have", async () => {
    const other = ACCOUNT + 1;
    await db.query("insert into accounts (id, name) values ($1, 'Test')", [other]);
    const channels = [channelId, await addChannel()];
    const theirs = await addChannel(other);
    for (let n = 0; n < 6; n++) await addChat(60 + n, channels[n % 2]);
    for (let n = 0; n < 2; n++) await addChat(n, theirs, other);
    const found = async (of: Partial<ChannelDemand>, maxLanes: number) => {
      const demands = [...channels, theirs].map((id) => demand({ ...of, channelId: id }));
      const lanes = await look(demands, { maxLanes });
      const mine = lanes.filter((lane) => lane.channelId !== theirs).length;
      return [mine, lanes.length - mine];
    };
    expect(await found({}, 4)).toEqual([2, 2]);
    expect(await found({}, 10)).toEqual([6, 2]);
    expect(await found({ lanesOfAccount: 3 }, 10)).toEqual([3, 2]);
    expect(await found({ lanesOfTransport: 5 }, 10)).toEqual([5, 0]);
  });

  test("reads large messages in several looks, and tells what it left", async () => {
    const chats = await Promise.all(Array.from({ length: 10 }, () => addChat(1)));
    for (const chat of chats) await addMessages(chat, 3, 2_000_000);
    const found = await look([demand()]);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(6);
    expect(found.map(({ jobs, found: all }) => [jobs.length, all])).toEqual(found.map(() => [1, 3]));
  });

  test("reads all messages of a chat that are small", async () => {
    const chat = await addChat(1);
    await addMessages(chat, 5, 100);
    const [lane] = await look([demand()]);
    expect([lane?.jobs.length, lane?.found]).toEqual([5, 5]);
    expect((await look([demand()], { jobsPerLane: 3 }))[0]?.jobs).toHaveLength(3);
  });

  test("finds a lane without jobs", async () => {
    const chat = await addChat(1);
    const [lane] = await look([demand()]);
    expect([lane?.chat, lane?.jobs.length, lane?.found]).toEqual([chat, 0, 0]);
  });
});
