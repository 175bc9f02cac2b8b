import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyTrigger } from "../../src/core/channel/link-state.ts";
import { triggerOf } from "../../src/core/channel/link-trigger.ts";
import type { ChannelProfile, LinkState } from "../../src/core/transport/events.ts";
import { machineMs } from "../../src/platform/clock.ts";
import { newId } from "../../src/platform/ids.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "./kit/service.ts";

const KINDS = ["channelsUpdates", "channel.status_update", "channel.qr_update"];
const QR: LinkState = { status: "init", reason: "qr", qr: "data:image/png;base64,AA==" };
const active = (profile: ChannelProfile): LinkState => ({ status: "active", profile });

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  await node.db.query(
    "insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values ($1, $2, 'v3', '', $3, $4)",
    [account.id, newId(), KINDS, randomBytes(32)],
  );
});
afterAll(() => node.stop());

const channel = (status: string, reason?: string): Promise<string> =>
  addChannel(node, account, { transport: "whatsapp", status, ...(reason === undefined ? {} : { reason }) });

/** What a session says of the channel; answers the status that it has then. */
async function say(
  channelId: string,
  state: LinkState,
  { epoch = 0, askedAt }: { epoch?: number; askedAt?: number } = {},
): Promise<string | null> {
  const happened = triggerOf(state);
  if (happened === null) throw new Error("Nothing happened");
  const key = { accountId: account.id, channelId, epoch };
  const status = await applyTrigger(node.core, key, happened.trigger, { ...happened.details, askedAt });
  return status === null ? null : `${status.status}/${status.reason}`;
}

async function toldOf(channelId: string): Promise<string[]> {
  const query = "select kind, body from events where account_id = $1 and channel_id = $2 order by id";
  const rows = await node.db.query<{ kind: string; body: string }>(query, [account.id, channelId]);
  return rows.map(({ kind, body }) => {
    const { state, reason } = JSON.parse(body) as { state?: string; reason?: string };
    return `${kind} ${state ?? reason ?? ""}`.trim();
  });
}

async function columnsOf(channelId: string): Promise<unknown> {
  const query = "select status, reason, messenger_id, name, phone from channels where id = $1";
  const [row] = await node.db.query(query, [channelId]);
  return row;
}

test("each code is told while the channel waits for it", async () => {
  const id = await channel("init");
  const drawn = ["channelsUpdates qr", "channel.status_update qr", "channel.qr_update"];
  expect([await say(id, QR), await say(id, QR)]).toEqual(["init/qr", "init/qr"]);
  expect(await toldOf(id)).toEqual([...drawn, ...drawn]);
});

test("a code that comes late is not told", async () => {
  const idle = await channel("disabled", "qridle");
  const unpaid = await channel("disabled", "not_enough_money");
  await node.db.query("update channels set unpaid = true where id = $1", [unpaid]);
  expect([await say(idle, QR), await say(unpaid, QR)]).toEqual([
    "disabled/qridle",
    "disabled/not_enough_money",
  ]);
  expect([...(await toldOf(idle)), ...(await toldOf(unpaid))]).toEqual([]);
});

test("who does not own the channel any more changes nothing", async () => {
  const id = await channel("init");
  const before = await columnsOf(id);
  expect(await say(id, QR, { epoch: 1 })).toBeNull();
  expect(await columnsOf(id)).toEqual(before);
  expect(await toldOf(id)).toEqual([]);
});

test("a new name of an active channel is stored and not told", async () => {
  const id = await channel("active");
  expect(await say(id, active({ messengerId: id, name: "New" }))).toBe("active/null");
  expect(await columnsOf(id)).toMatchObject({ name: "New", phone: "79990001122", messenger_id: id });
  expect(await toldOf(id)).toEqual([]);
});

test("another phone disables the channel and leaves what it was", async () => {
  const id = await channel("init", "qr");
  expect(await say(id, active({ messengerId: "other", name: "Other", phone: "1" }))).toBe(
    "disabled/foreignphone",
  );
  expect(await columnsOf(id)).toEqual({
    status: "disabled",
    reason: "foreignphone",
    messenger_id: id,
    name: "Shop",
    phone: "79990001122",
  });
  expect(await toldOf(id)).toEqual(["channelsUpdates foreignphone", "channel.status_update foreignphone"]);
});

describe("what was asked for", () => {
  const rejected: LinkState = { status: "disabled", reason: "rejected" };
  const told = ["channelsUpdates rejected", "channel.status_update rejected"];
  const named = (id: string, name: string) => active({ messengerId: id, name });
  /** A channel of which nothing was heard for an hour. */
  async function quiet(status: string, reason?: string): Promise<string> {
    const id = await channel(status, reason);
    await node.db.query("update channels set status_at = now() - interval '1 hour' where id = $1", [id]);
    return id;
  }
  const ago = (seconds: number) => ({ askedAt: machineMs() - seconds * 1_000 });

  test("changes nothing when news came in between", async () => {
    const id = await quiet("active");
    await say(id, rejected);
    expect(await say(id, named(id, "Before"), ago(10))).toBe("disabled/rejected");
    expect(await columnsOf(id)).toMatchObject({ name: "Shop" });
    expect(await toldOf(id)).toEqual(told);
    expect(await say(id, named(id, "After"), ago(0))).toBe("active/null");
    expect(await columnsOf(id)).toMatchObject({ name: "After" });
  });

  test("changes nothing when somebody who asked later has the answer already", async () => {
    const id = await quiet("disabled", "rejected");
    expect(await say(id, named(id, "Shop"), ago(20))).toBe("active/null");
    expect(await say(id, rejected, ago(30))).toBe("active/null");
    expect(await say(id, rejected, ago(10))).toBe("disabled/rejected");
    expect(await toldOf(id)).toEqual(["channelsUpdates active", "channel.status_update", ...told]);
  });

  test("changes nothing, too, when the later answer was that all is as it was", async () => {
    const [a, b] = [await quiet("active"), await quiet("disabled", "rejected")];
    await say(a, named(a, "Shop"), ago(10));
    await say(b, rejected, ago(10));
    expect(await say(a, rejected, ago(20))).toBe("active/null");
    expect(await say(b, named(b, "Shop"), ago(20))).toBe("disabled/rejected");
    expect([...(await toldOf(a)), ...(await toldOf(b))]).toEqual([]);
  });

  test("waits behind a change under way, and is outdated by it", async () => {
    const id = await quiet("active");
    const late = await node.db.tx(async (tx) => {
      await tx.query(
        "update channels set status = 'disabled', reason = 'rejected', status_at = now() where id = $1",
        [id],
      );
      const answer = say(id, named(id, "Before"), ago(10));
      await untilBlocked();
      return { answer };
    });
    expect(await late.answer).toBe("disabled/rejected");
  });
});

async function untilBlocked(): Promise<void> {
  const query =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%for no key update%' and datname = current_database()";
  while ((await node.db.query(query)).length === 0) await nextTurn();
}

test("the earlier owner of a messenger account keeps it", async () => {
  const stranger = await addAccount(node.db);
  const first = await addChannel(node, stranger, { transport: "whatsapp" });
  const second = await channel("init", "qr");
  await node.db.query("update channels set messenger_id = null where id = $1", [second]);
  expect(await say(second, active({ messengerId: first, name: "Shop" }))).toBe("disabled/openelsewhere");
  expect(await columnsOf(first)).toMatchObject({ status: "active", messenger_id: first });
  expect(await columnsOf(second)).toMatchObject({ messenger_id: null });
  expect(await toldOf(second)).toEqual([
    "channelsUpdates openElsewhere",
    "channel.status_update openelsewhere",
  ]);
});
