import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyTrigger } from "../../../src/core/channel/link/link-state.ts";
import { triggerOf } from "../../../src/core/channel/link/link-trigger.ts";
import { getLinkView } from "../../../src/core/channel/link/link-view.ts";
import { markPayment } from "../../../src/core/channel/payment.ts";
import { createLink } from "../../../src/core/inbound/link.ts";
import type { ChannelProfile, LinkState } from "../../../src/core/transport/events.ts";
import { monotonicMs } from "../../../src/platform/clock.ts";
import { newId } from "../../../src/platform/ids.ts";
import { holdTx } from "../../kit/database.ts";
import { call } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

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
  { epoch = 0, askedAt, owner }: { epoch?: number; askedAt?: number; owner?: string } = {},
): Promise<string | null> {
  const happened = triggerOf(state);
  if (happened === null) throw new Error("Nothing happened");
  const key = { accountId: account.id, channelId, epoch, ...(owner === undefined ? {} : { owner }) };
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

test("each code is published while the channel waits for it", async () => {
  const id = await channel("init");
  const first = ["channelsUpdates qr", "channel.status_update qr", "channel.qr_update"];
  const next = ["channelsUpdates qr", "channel.qr_update"];
  expect([await say(id, QR), await say(id, QR)]).toEqual(["init/qr", "init/qr"]);
  expect(await toldOf(id)).toEqual([...first, ...next]);
});

describe("a session that is lost during the ceremony with a passkey", () => {
  const request = { challenge: "AAAA", rpId: "whatsapp.com" };
  const passkey = { site: "https://web.whatsapp.com/", request, expiresInMs: 600_000, promptMs: 300_000 };
  const asked: LinkState = { status: "init", reason: "wait_for_passkey", passkey };
  const compared: LinkState = { status: "init", reason: "wait_for_code", compare: "ABCD-1234" };
  const problemOf = async (id: string) =>
    (await getLinkView(node.core, { accountId: account.id }, id)).passkeyProblem;

  test.each([asked, compared])(
    "leaves the reason beside the codes of the next one: $reason",
    async (state) => {
      const id = await channel("init");
      await say(id, state);
      // The next node, or the next process.
      await say(id, QR);
      expect(await problemOf(id)).toBe("interrupted");
      await say(id, { ...QR, qr: "data:image/png;base64,BB==" });
      expect(await problemOf(id)).toBe("interrupted");
      await say(id, asked);
      expect(await problemOf(id)).toBe(null);
      await say(id, { ...QR, problem: "silent" });
      expect(await problemOf(id)).toBe("silent");
    },
  );

  test("leaves nothing after a restart of the channel", async () => {
    const id = await channel("init");
    await say(id, asked);
    const path = `/v2/channels/${id}/reinit`;
    await call(node, "POST", path, { token: account.access, body: { credentials: {} } });
    const view = await getLinkView(node.core, { accountId: account.id }, id);
    expect(view).toMatchObject({ passkey: null, compareCode: null, passkeyProblem: null });
    const { json } = await call(node, "GET", `/v2/channels/${id}/auth/passkey`, { token: account.access });
    expect(json).toMatchObject({ error: "PASSKEY_NOT_EXPECTED" });
  });

  test("leaves nothing beside codes that were asked for before", async () => {
    const id = await channel("init");
    await say(id, { status: "init", reason: "wait_for_code" });
    await say(id, QR);
    expect(await problemOf(id)).toBe(null);
  });
});

test("a late code is not published", async () => {
  const idle = await channel("disabled", "qridle");
  const unpaid = await channel("disabled", "not_enough_money");
  await node.db.query("update channels set unpaid = true where id = $1", [unpaid]);
  expect([await say(idle, QR), await say(unpaid, QR)]).toEqual([
    "disabled/qridle",
    "disabled/not_enough_money",
  ]);
  expect([...(await toldOf(idle)), ...(await toldOf(unpaid))]).toEqual([]);
});

test("a node that no longer owns the channel changes nothing", async () => {
  const id = await channel("init");
  const before = await columnsOf(id);
  expect(await say(id, QR, { epoch: 1 })).toBeNull();
  expect(await columnsOf(id)).toEqual(before);
  expect(await toldOf(id)).toEqual([]);
});

test("a new name of an active channel is published once, on v2", async () => {
  const id = await channel("active");
  expect(await say(id, active({ messengerId: id, name: "New" }))).toBe("active/null");
  expect(await columnsOf(id)).toMatchObject({ name: "New", phone: "79990001122", messenger_id: id });
  await say(id, active({ messengerId: id, name: "New" }));
  expect(await toldOf(id)).toEqual(["channel.status_update"]);
});

describe("a phone that was offline for long", () => {
  const away = (id: string, name = "Shop"): LinkState => ({
    status: "active",
    profile: { messengerId: id, name },
    phoneUnavailable: true,
  });
  const stateOf = async (id: string) => {
    const { json } = await call(node, "GET", `/v2/channels/${id}`, { token: account.access });
    const [found] = (json as { data: { status: string; reason: string | null; state: string }[] }).data;
    return `${found?.status}/${found?.reason}/${found?.state}`;
  };
  const here = (id: string) => active({ messengerId: id, name: "Shop" });

  test("is published once, and when it is back, only as the state of v3; the channel stays active", async () => {
    const id = await channel("active");
    expect([await say(id, away(id)), await say(id, away(id))]).toEqual(["active/null", "active/null"]);
    expect(await stateOf(id)).toBe("active/null/phoneUnavailable");
    expect([await say(id, here(id)), await say(id, here(id))]).toEqual(["active/null", "active/null"]);
    expect(await stateOf(id)).toBe("active/null/active");
    expect(await toldOf(id)).toEqual(["channelsUpdates phoneUnavailable", "channelsUpdates active"]);
  });

  test("is published together with a new name", async () => {
    const id = await channel("active");
    await say(id, away(id, "New"));
    expect(await toldOf(id)).toEqual(["channelsUpdates phoneUnavailable", "channel.status_update"]);
  });

  test("ends with the link", async () => {
    const id = await channel("active");
    await say(id, away(id));
    await say(id, { status: "disabled", reason: "unauthorized" });
    expect(await stateOf(id)).toBe("disabled/unauthorized/unauthorized");
    const { json } = await call(node, "POST", `/v2/channels/${id}/reinit`, {
      token: account.access,
      body: { credentials: {} },
    });
    expect(json).toMatchObject({ data: [{ state: "init" }] });
    expect(await say(id, here(id), { epoch: 1 })).toBe("active/null");
    expect(await stateOf(id)).toBe("active/null/active");
  });
});

test("another phone disables the channel and leaves its profile unchanged", async () => {
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

test("each change of the status is in the channel's log and among its states, with what the messenger said", async () => {
  const id = await channel("active");
  const ended: LinkState = { status: "disabled", reason: "unauthorized", detail: "401 device removed\0" };
  expect(await say(id, ended)).toBe("disabled/unauthorized");
  // It says the same again.
  await say(id, ended);
  const log = "select level, message, details from channel_log where channel_id = $1 order by id";
  const line = {
    level: "warn",
    message: "the channel was disconnected",
    details: { status: "disabled", reason: "unauthorized", detail: "401 device removed" },
  };
  await expect.poll(() => node.db.query(log, [id])).toEqual([line]);
  const states = "select status, reason, detail from channel_states where channel_id = $1 order by id";
  expect(await node.db.query(states, [id])).toEqual([
    { status: "active", reason: null, detail: null },
    { status: "disabled", reason: "unauthorized", detail: "401 device removed" },
  ]);
});

describe("a queried state", () => {
  const rejected: LinkState = { status: "disabled", reason: "rejected" };
  const told = ["channelsUpdates rejected", "channel.status_update rejected"];
  const named = (id: string, name: string) => active({ messengerId: id, name });
  /** A channel without any traffic for an hour. */
  async function quiet(status: string, reason?: string): Promise<string> {
    const id = await channel(status, reason);
    await node.db.query("update channels set status_at = now() - interval '1 hour' where id = $1", [id]);
    return id;
  }
  const ago = (seconds: number) => ({ askedAt: monotonicMs() - seconds * 1_000 });

  test("changes nothing if an event arrived in between", async () => {
    const id = await quiet("active");
    await say(id, rejected);
    expect(await say(id, named(id, "Before"), ago(10))).toBe("disabled/rejected");
    expect(await columnsOf(id)).toMatchObject({ name: "Shop" });
    expect(await toldOf(id)).toEqual(told);
    expect(await say(id, named(id, "After"), ago(0))).toBe("active/null");
    expect(await columnsOf(id)).toMatchObject({ name: "After" });
  });

  test("changes nothing if a later query was answered first", async () => {
    const id = await quiet("disabled", "rejected");
    expect(await say(id, named(id, "Shop"), ago(20))).toBe("active/null");
    expect(await say(id, rejected, ago(30))).toBe("active/null");
    expect(await say(id, rejected, ago(10))).toBe("disabled/rejected");
    expect(await toldOf(id)).toEqual(["channelsUpdates active", "channel.status_update", ...told]);
  });

  test("changes nothing, even if the later response reported no change", async () => {
    const [a, b] = [await quiet("active"), await quiet("disabled", "rejected")];
    await say(a, named(a, "Shop"), ago(10));
    await say(b, rejected, ago(10));
    expect(await say(a, rejected, ago(20))).toBe("active/null");
    expect(await say(b, named(b, "Shop"), ago(20))).toBe("disabled/rejected");
    expect([...(await toldOf(a)), ...(await toldOf(b))]).toEqual([]);
  });

  test("waits for a concurrent change, and is outdated by it", async () => {
    const id = await quiet("active");
    const late = await holdTx(node.db, async (tx) => {
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

describe("a channel whose messenger account now belongs to another channel", () => {
  /** The stranger linked it while this one was disabled. */
  async function supplanted(transport: string): Promise<{ readonly id: string; readonly other: string }> {
    const id = await addChannel(node, account, { transport, status: "disabled", reason: "unauthorized" });
    const stranger = await addAccount(node.db);
    const other = await addChannel(node, stranger, { transport });
    await node.db.query("update channels set messenger_id = $2 where id = $1", [other, id]);
    return { id, other };
  }
  const reinit = (id: string, credentials: object) =>
    call(node, "POST", `/v2/channels/${id}/reinit`, { token: account.access, body: { credentials } });

  test.each(["whatsapp", "telegram"])("is restarted and finds it linked elsewhere: %s", async (transport) => {
    const { id, other } = await supplanted(transport);
    const credentials = transport === "telegram" ? { telegram_token: `good:${id}` } : {};
    expect((await reinit(id, credentials)).json).toMatchObject({ data: [{ state: "init" }] });
    expect(await say(id, active({ messengerId: id, name: "Shop" }), { epoch: 1 })).toBe(
      "disabled/openelsewhere",
    );
    expect(await columnsOf(other)).toMatchObject({ status: "active", messenger_id: id });
  });

  test("restarts when it is paid", async () => {
    const { id } = await supplanted("whatsapp");
    const scope = { accountId: account.id, channelId: id };
    await markPayment(node.core, scope, "unpaid");
    expect(await columnsOf(id)).toMatchObject({ messenger_id: id });
    expect(await markPayment(node.core, scope, "paid")).toEqual({ status: "init", reason: null });
    expect(await say(id, active({ messengerId: id, name: "Shop" }), { epoch: 2 })).toBe(
      "disabled/openelsewhere",
    );
  });

  test("gets it back when the other channel has ended", async () => {
    const { id, other } = await supplanted("whatsapp");
    await reinit(id, {});
    await node.db.query("update channels set status = 'disabled', reason = 'qridle' where id = $1", [other]);
    expect(await say(id, active({ messengerId: id, name: "Shop" }), { epoch: 1 })).toBe("active/null");
    expect(await columnsOf(id)).toMatchObject({ messenger_id: id });
  });
});

test("of two channels linked to one messenger account at the same time one stays", async () => {
  const ids = await Promise.all([channel("init", "sync"), channel("init", "sync")]);
  await node.db.query("update channels set messenger_id = null where id = any($1)", [ids]);
  const profile = { messengerId: newId(), name: "Shop" };
  const said = await Promise.all(ids.map((id) => say(id, active(profile))));
  expect(said.toSorted()).toEqual(["active/null", "disabled/openelsewhere"]);
});

test("a session's states are stored in order: linked and immediately open elsewhere", async () => {
  const id = await channel("init", "sync");
  const [row] = await node.db.query<{ credentials: Buffer }>(
    "select credentials from channels where id = $1",
    [id],
  );
  const transport = node.core.transports.get("whatsapp");
  if (row === undefined || transport === undefined) throw new Error("The channel is not there");
  const stored: string[] = [];
  const begun = Promise.withResolvers<void>();
  const link = createLink(node.core, {
    proxy: {},
    key: { accountId: account.id, channelId: id, epoch: 0 },
    transport,
    sealedCredentials: row.credentials,
    signal: new AbortController().signal,
    async onLinkState(state) {
      if (state.status === "active") await begun.promise;
      stored.push(`${await say(id, state)}`);
    },
  });
  const linked = link.emit({ kind: "link", state: active({ messengerId: id, name: "Shop" }) });
  const ended = link.emit({ kind: "link", state: { status: "disabled", reason: "openelsewhere" } });
  begun.resolve();
  await Promise.all([linked, ended]);
  expect(stored).toEqual(["active/null", "disabled/openelsewhere"]);
});

test("a node that had the same epoch before a failover changes neither status nor state", async () => {
  const [before, now] = [newId(), newId()];
  const id = await channel("init", "sync");
  await node.db.query("update channels set owner = $2 where id = $1", [id, now]);
  const [row] = await node.db.query<{ credentials: Buffer }>(
    "select credentials from channels where id = $1",
    [id],
  );
  const transport = node.core.transports.get("whatsapp");
  if (row === undefined || transport === undefined) throw new Error("The channel is not there");
  const stateOf = (owner: string) =>
    createLink(node.core, {
      proxy: {},
      key: { accountId: account.id, channelId: id, epoch: 0, owner },
      transport,
      sealedCredentials: row.credentials,
      signal: new AbortController().signal,
      onLinkState: async () => undefined,
    }).state;
  await stateOf(now).set("marker", "new");
  await stateOf(before).set("marker", "old");
  await stateOf(before).set("marker", null);
  expect(await stateOf(before).get("marker")).toBe("new");
  const profile = { status: "active", profile: { messengerId: id, name: "Shop" } } as const;
  expect(await say(id, profile, { owner: before })).toBeNull();
  expect(await say(id, profile, { owner: now })).toBe("active/null");
});
