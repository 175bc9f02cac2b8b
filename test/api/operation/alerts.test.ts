import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { listTargetStates, reportAlerts } from "../../../src/core/alert/alerts.ts";
import { INSTALLATION, NO_SUBJECT, Statistics } from "../../../src/core/statistics/statistics.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { type MailServer, startMailServer } from "../../kit/smtp.ts";
import { outcome } from "../kit/call.ts";
import { newOperator } from "../kit/console.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const SECRET = "a secret of sixteen or more";
const AFTER_MS = 60_000;

let receiver: Receiver;
let mail: MailServer;
let node: TestNode;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  [receiver, mail] = await Promise.all([startReceiver(), startMailServer()]);
  node = await startNode({
    alerts: {
      webhook: { url: `${receiver.url}/alerts`, secret: SECRET },
      email: {
        smtpUrl: mail.url,
        requireTls: false,
        from: "trunkline@shop.example",
        to: ["ann@shop.example", "bob@shop.example"],
      },
      afterMs: AFTER_MS,
      everyMs: 600_000,
    },
  });
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "telegram" });
  // Nothing else is wrong.
  await node.db.query(
    `insert into nodes (id, name, roles, lease_until, schema_version)
     values (gen_random_uuid(), 'n', '{sessions,delivery,jobs}', now() + interval '1 hour', 9999)`,
  );
});
afterAll(async () => {
  await node.stop();
  await Promise.all([receiver.stop(), mail.close()]);
});
beforeEach(async () => {
  await node.db.query("delete from alerts");
  await node.db.query("delete from alert_targets");
  await up();
});
afterEach(async () => {
  await setRoles("sessions", "delivery", "jobs");
  receiver.respond = null;
  mail.refusal = null;
});

const down = (age = "5 minutes") =>
  node.db.query(
    "update channels set status = 'disabled', reason = 'unauthorized', status_at = now() - $2::interval, name = $3 where id = $1",
    [channelId, age, "Lamps\r\nBcc: all@shop.example"],
  );
const setRoles = (...roles: string[]) => node.db.query("update nodes set roles = $1", [roles]);
const up = () =>
  node.db.query("update channels set status = 'active', reason = null where id = $1", [channelId]);
/** The interval between two notifications is over. */
const later = () => node.db.query("update alert_targets set sent_at = sent_at - interval '1 hour'");

interface Told {
  readonly test: boolean;
  readonly alerts: {
    readonly kind: string;
    readonly state: string;
    readonly text: string;
    readonly url: string;
  }[];
}
const toldSince = (count: number): Told[] =>
  receiver.posts.slice(count).map(({ body }) => JSON.parse(body) as Told);
const statesOf = (told: readonly Told[]) =>
  told.map(({ alerts }) => alerts.map(({ kind, state }) => `${kind} ${state}`));

test("a channel that is down for long is reported once, signed, by webhook and e-mail, and so is its end", async () => {
  const [posts, mails] = [receiver.posts.length, mail.mails.length];
  await down("10 seconds");
  expect(await reportAlerts(node.core)).toBe(0);
  expect([receiver.posts.length, mail.mails.length]).toEqual([posts, mails]);

  await down();
  expect(await reportAlerts(node.core)).toBe(2);
  expect(await reportAlerts(node.core)).toBe(0);
  await later();
  expect(await reportAlerts(node.core)).toBe(0);
  const [told] = toldSince(posts);
  expect(told).toMatchObject({ type: "alerts", test: false, installation: "http://127.0.0.1" });
  expect(told?.alerts).toMatchObject([
    {
      ...{ kind: "channel_down", state: "open", level: "bad", accountId: account.id, subject: channelId },
      url: `http://127.0.0.1/app/console#/channels/${account.id}/${channelId}`,
    },
  ]);
  const post = receiver.posts[posts];
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = post?.headers ?? {};
  const expected = createHmac("sha256", SECRET).update(`${id}.${at}.${post?.body}`).digest("base64");
  expect(signature).toBe(`v1,${expected}`);
  const letter = mail.mails[mails];
  expect(letter?.to).toEqual(["ann@shop.example", "bob@shop.example"]);
  // A channel's name adds no header.
  expect(letter?.source).toContain(
    "Subject: Trunkline: Channel Lamps Bcc: all@shop.example (telegram) is down",
  );
  expect(letter?.source).not.toMatch(/^Bcc:/m);

  await up();
  expect(await reportAlerts(node.core)).toBe(2);
  expect(statesOf(toldSince(posts))).toEqual([["channel_down open"], ["channel_down ended"]]);
  await later();
  expect(await reportAlerts(node.core)).toBe(0);
  await reportAlerts(node.core);
  expect(await node.db.query("select 1 from alerts")).toEqual([]);
});

test("within the interval changes are collected: a channel that comes and goes is one notification", async () => {
  const posts = receiver.posts.length;
  await down();
  await reportAlerts(node.core);
  for (let turn = 0; turn < 5; turn++) {
    await up();
    await reportAlerts(node.core);
    await down();
    await reportAlerts(node.core);
  }
  expect(receiver.posts.length).toBe(posts + 1);
  await later();
  await reportAlerts(node.core);
  expect(statesOf(toldSince(posts))).toEqual([["channel_down open"], ["channel_down open"]]);
});

test("an open problem is told again after a day", async () => {
  const posts = receiver.posts.length;
  await down();
  await reportAlerts(node.core);
  await later();
  await reportAlerts(node.core);
  expect(receiver.posts.length).toBe(posts + 1);
  await node.db.query("update alerts set told_at = now() - interval '25 hours'");
  await reportAlerts(node.core);
  expect(receiver.posts.length).toBe(posts + 2);
});

test("a target that refuses does not keep the other from being told, and is tried again", async () => {
  const [posts, mails] = [receiver.posts.length, mail.mails.length];
  mail.refusal = "550 no relay";
  await down();
  await expect(reportAlerts(node.core)).rejects.toThrow(/email: .*550 no relay/);
  expect(receiver.posts.length).toBe(posts + 1);
  const states = await listTargetStates(node.core);
  expect(states.find(({ target }) => target === "email")).toMatchObject({
    sentAt: null,
    failure: expect.stringContaining("550 no relay"),
  });
  mail.refusal = null;
  expect(await reportAlerts(node.core)).toBe(1);
  expect([receiver.posts.length, mail.mails.length]).toEqual([posts + 1, mails + 1]);

  receiver.respond = (_post, response) =>
    response.writeHead(302, { location: `${receiver.url}/other` }).end();
  await up();
  await later();
  await expect(reportAlerts(node.core)).rejects.toThrow("webhook: HTTP 302");
});

test("a full disk and a growing queue are problems, from the samples of the nodes", async () => {
  const posts = receiver.posts.length;
  let ago = 20;
  const statistics = new Statistics({ ...node.core.clock, now: () => new Date(Date.now() - ago * 60_000) });
  const sample = (kind: "disk" | "queue", label: string, value: number) =>
    statistics.add({ ...{ accountId: INSTALLATION, kind, subject: NO_SUBJECT }, label, value });
  for (const [minutes, depth] of [
    [20, 500],
    [14, 900],
    [6, 1_500],
    [1, 2_000],
  ] as const) {
    ago = minutes;
    sample("queue", "send", depth);
    sample("queue", "files", 100 * depth);
    sample("queue", "webhook", 5_000);
    sample("disk", "full", 97.4);
    sample("disk", "spare", 50);
  }
  await statistics.flush(node.db);
  await node.db.query("delete from statistics where label = 'files' and at < now() - interval '10 minutes'");
  await reportAlerts({
    ...node.core,
    settings: { ...node.core.settings, alerts: { ...node.core.settings.alerts, afterMs: 0 } },
  });
  expect(toldSince(posts).flatMap(({ alerts }) => alerts.map(({ text }) => text))).toEqual([
    'The queue "send" grows: 2000 wait',
    "The disk of node full is 97 % full",
  ]);
  await node.db.query("delete from statistics");
});

test("an operator tests the targets, and sees the last notification", async () => {
  const [posts, mails] = [receiver.posts.length, mail.mails.length];
  const root = await newOperator(node, { role: "operator", accountId: null });
  const admin = await newOperator(node, { role: "admin", accountId: account.id });
  mail.refusal = "451 later";
  const tested = await root.ask("POST", "/alerts/tests", {});
  expect(tested.json).toEqual([
    { target: "webhook", failure: null },
    { target: "email", failure: expect.stringContaining("451 later") },
  ]);
  expect(toldSince(posts)).toMatchObject([{ test: true, alerts: [] }]);
  expect(mail.mails.length).toBe(mails);
  await down();
  await reportAlerts(node.core).catch(() => undefined);
  const { json } = await root.ask("GET", "/alerts");
  expect(json).toMatchObject([
    { target: "webhook", address: receiver.url, failure: null, sentAt: expect.any(String) },
    { target: "email", address: "ann@shop.example, bob@shop.example", sentAt: null },
  ]);
  expect(JSON.stringify(json)).not.toContain(SECRET);
  for (const [method, path] of [
    ["GET", "/alerts"],
    ["POST", "/alerts/tests"],
  ] as const)
    expect(outcome(await admin.ask(method, path, method === "GET" ? undefined : {}))).toMatch(
      /^403 FORBIDDEN/,
    );
});

test("a role without a node is reported after ALERT_AFTER, though nobody knows since when: restarts are not", async () => {
  const posts = receiver.posts.length;
  await setRoles("sessions", "jobs");
  await reportAlerts(node.core);
  await setRoles("sessions", "delivery", "jobs");
  await reportAlerts(node.core);
  await setRoles("sessions", "jobs");
  await reportAlerts(node.core);
  await reportAlerts(node.core);
  expect(receiver.posts.length).toBe(posts);
  // The time passes.
  await node.db.query("update alerts set since = since - interval '2 minutes'");
  await reportAlerts(node.core);
  expect(statesOf(toldSince(posts))).toEqual([["no_node open"]]);
});

test("an account with many problems does not hide those of others", async () => {
  const posts = receiver.posts.length;
  const crowd = await addAccount(node.db);
  for (let count = 0; count < 60; count++)
    await addChannel(node, crowd, { transport: "telegram", status: "disabled", reason: "unauthorized" });
  await node.db.query("update channels set status_at = now() - interval '2 minutes' where account_id = $1", [
    crowd.id,
  ]);
  await down("2 hours");
  await reportAlerts(node.core);
  const told = toldSince(posts).flatMap(({ alerts }) => alerts) as { accountId?: number }[];
  expect(told.length).toBe(50);
  expect(told.filter(({ accountId }) => accountId === account.id).length).toBe(1);
  await node.db.query("update channels set status = 'active' where account_id = $1", [crowd.id]);
});

test("many channels that wait do not end the alerts of those that are down", async () => {
  const crowd = await addAccount(node.db);
  const add = async (count: number, status: string, age: string) => {
    const reason = status === "disabled" ? { reason: "unauthorized" } : {};
    for (let n = 0; n < count; n++)
      await addChannel(node, crowd, { transport: "telegram", status, ...reason });
    await node.db.query(
      "update channels set status_at = now() - $3::interval where account_id = $1 and status = $2",
      [crowd.id, status, age],
    );
  };
  const open = async () =>
    (
      await node.db.query<{ kind: string; count: number }>(
        "select kind, count(*)::int from alerts where ended_at is null group by kind order by kind",
      )
    ).map(({ kind, count }) => `${count} ${kind}`);
  await add(30, "disabled", "2 hours");
  await reportAlerts(node.core);
  expect(await open()).toEqual(["30 channel_down"]);
  await add(40, "init", "1 hour");
  await reportAlerts(node.core);
  expect(await open()).toEqual(["30 channel_down", "40 channel_waits"]);
  await node.db.query("update channels set status = 'active' where account_id = $1", [crowd.id]);
});

test("what was told to a target that is not set any more does not stay", async () => {
  await down();
  await reportAlerts(node.core);
  const { alerts } = node.core.settings;
  const core = { ...node.core, settings: { ...node.core.settings, alerts: { ...alerts, email: null } } };
  await up();
  await later();
  await reportAlerts(core);
  await reportAlerts(core);
  expect(await node.db.query("select 1 from alerts")).toEqual([]);
  expect(await node.db.query("select target from alert_targets")).toEqual([{ target: "webhook" }]);

  await down();
  await later();
  await reportAlerts(core);
  const none = { ...core.settings, alerts: { ...alerts, email: null, webhook: null } };
  expect(await reportAlerts({ ...core, settings: none })).toBe(0);
  expect(await node.db.query("select 1 from alerts")).toEqual([]);
  expect(await node.db.query("select 1 from alert_targets")).toEqual([]);
});

test("mail goes to a server without STARTTLS only if that is allowed", async () => {
  const mails = mail.mails.length;
  const { alerts } = node.core.settings;
  const strict = {
    ...alerts,
    webhook: null,
    email: alerts.email === null ? null : { ...alerts.email, requireTls: true },
  };
  await down();
  await expect(
    reportAlerts({ ...node.core, settings: { ...node.core.settings, alerts: strict } }),
  ).rejects.toThrow(/email: .*(TLS|500 unknown)/);
  expect(mail.mails.length).toBe(mails);
});

test("a secret in the format of Standard Webhooks is the key that their libraries take", async () => {
  const posts = receiver.posts.length;
  const key = Buffer.from("twenty-four bytes of key");
  const { alerts } = node.core.settings;
  const webhook = { url: `${receiver.url}/alerts`, secret: `whsec_${key.toString("base64")}` };
  await down();
  await reportAlerts({
    ...node.core,
    settings: { ...node.core.settings, alerts: { ...alerts, webhook, email: null } },
  });
  const { headers = {}, body = "" } = receiver.posts[posts] ?? {};
  expect(new Webhook(webhook.secret).verify(body, headers as Record<string, string>)).toMatchObject({
    type: "alerts",
  });
});
