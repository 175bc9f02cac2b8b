import { afterAll, beforeAll, expect, test } from "vitest";
import { readChart } from "../../../src/core/console/charts.ts";
import { STATISTIC_RETENTION } from "../../../src/core/statistics/retention.ts";
import { sampleQueues } from "../../../src/core/statistics/samples.ts";
import {
  type Counted,
  INSTALLATION,
  NO_SUBJECT,
  Statistics,
} from "../../../src/core/statistics/statistics.ts";
import { newId } from "../../../src/platform/ids.ts";
import { call, outcome } from "../kit/call.ts";
import { newOperator, type Person } from "../kit/console.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
let other: TestAccount;
let channelId: string;
let second: string;
let root: Person;
let admin: Person;

beforeAll(async () => {
  node = await startNode();
  [account, other] = [await addAccount(node.db), await addAccount(node.db)];
  channelId = await addChannel(node, account, { transport: "telegram" });
  second = await addChannel(node, account, { transport: "whatsapp" });
  root = await newOperator(node, { role: "operator", accountId: null });
  admin = await newOperator(node, { role: "admin", accountId: account.id });
});
afterAll(() => node.stop());

const NOW = new Date("2026-03-10T12:34:56Z");
const clockAt = (at: () => Date) => ({ ...node.core.clock, now: at });
const sent = (subject: string, label = "sent", value = 0): Counted => ({
  accountId: account.id,
  kind: "requests",
  subject,
  label,
  value,
});
interface Line {
  readonly key: string;
  readonly name: string;
  readonly isRest: boolean;
  readonly counts: number[];
  readonly means: (number | null)[];
  readonly peaks: (number | null)[];
}
const question = { accountId: null, kind: "requests", by: "label", range: "hour", subject: null } as const;

test("nodes add to the same points, in one statement each, and a chart shows their sums", async () => {
  const nodes = [new Statistics(clockAt(() => NOW)), new Statistics(clockAt(() => NOW))];
  for (const each of nodes)
    for (let n = 0; n < 100; n++) {
      each.add(sent(channelId, "sent", 100));
      each.add(sent(second, n === 0 ? "SPAM" : "sent", 400));
    }
  await Promise.all(nodes.map((each) => each.flush(node.db)));
  expect(await nodes[0]?.flush(node.db)).toBe(0);
  const chart = await readChart(node.db, NOW, question);
  expect(chart).toMatchObject({ from: new Date("2026-03-10T11:30:00Z"), stepSeconds: 300, points: 13 });
  const [first, spam] = chart.lines;
  expect([first?.key, first?.counts.at(-1), first?.peaks.at(-1)]).toEqual(["sent", 398, 400]);
  expect(first?.means.at(-1)).toBeCloseTo((200 * 100 + 198 * 400) / 398, 6);
  expect(first?.means.at(0)).toBeNull();
  expect([spam?.key, spam?.counts.at(-1)]).toEqual(["SPAM", 2]);
  for (const range of ["day", "month"] as const)
    expect((await readChart(node.db, NOW, { ...question, range })).lines[0]?.counts.at(-1)).toBe(398);
  const byTransport = await readChart(node.db, NOW, { ...question, by: "transport" });
  expect(byTransport.lines.map(({ key, counts }) => [key, counts.at(-1)])).toEqual([
    ["telegram", 200],
    ["whatsapp", 200],
  ]);
  const one = await readChart(node.db, NOW, { ...question, by: "subject", subject: second });
  expect(one.lines).toMatchObject([{ key: second, name: "Shop", accountId: account.id }]);
  expect(one.lines[0]?.counts.at(-1)).toBe(200);
});

test("what could not be stored is stored with the next sums", async () => {
  let now = NOW;
  const statistics = new Statistics(clockAt(() => now));
  const broken = { query: () => Promise.reject(new Error("away")) } as unknown as typeof node.db;
  const label = "AWAY";
  statistics.add(sent(channelId, label));
  await expect(statistics.flush(broken)).rejects.toThrow("away");
  statistics.add(sent(channelId, label));
  now = new Date(NOW.getTime() + 5 * 60_000);
  statistics.add(sent(channelId, label));
  await statistics.flush(node.db);
  const { lines } = await readChart(node.db, now, question);
  expect(lines.find(({ key }) => key === label)?.counts.slice(-2)).toEqual([2, 1]);
});

test("beyond six lines, the others are one line together", async () => {
  const statistics = new Statistics(clockAt(() => NOW));
  for (let code = 1; code <= 9; code++)
    for (let n = 0; n < code; n++)
      statistics.add({ ...sent(channelId, `HTTP 50${code}`), kind: "deliveries" });
  await statistics.flush(node.db);
  const { lines } = await readChart(node.db, NOW, { ...question, kind: "deliveries" });
  expect(lines.map(({ key, isRest, counts }) => [key, isRest, counts.at(-1)])).toEqual([
    ["HTTP 509", false, 9],
    ["HTTP 508", false, 8],
    ["HTTP 507", false, 7],
    ["HTTP 506", false, 6],
    ["HTTP 505", false, 5],
    ["", true, 10],
  ]);
});

test("each person sees their account's, and only operators the installation's", async () => {
  const statistics = new Statistics(node.core.clock);
  for (const { id } of [account, other])
    statistics.add({ accountId: id, kind: "inbound", subject: newId(), label: "" });
  statistics.add({
    ...{ accountId: INSTALLATION, kind: "queue" },
    subject: NO_SUBJECT,
    label: "send",
    value: 7,
  });
  await call(node, "POST", "/v3/message", {
    token: account.api,
    body: { channelId, chatType: "telegram", chatId: "77", text: "waits" },
  });
  await sampleQueues(node.db, statistics);
  await statistics.flush(node.db);
  const ask = (person: Person, query: string) => person.ask("GET", `/charts?range=hour&${query}`);
  const sum = async (person: Person, query: string): Promise<number> =>
    ((await ask(person, query)).json as { lines: Line[] }).lines
      .flatMap(({ counts }) => counts)
      .reduce((all, count) => all + count, 0);
  expect(await sum(root, "kind=inbound&by=subject")).toBe(2);
  expect(await sum(root, `kind=inbound&by=subject&account=${other.id}`)).toBe(1);
  expect(await sum(admin, "kind=inbound&by=transport")).toBe(1);
  expect(outcome(await ask(admin, `kind=inbound&by=label&account=${other.id}`))).toBe(
    "404 ACCOUNT_NOT_FOUND",
  );
  expect(outcome(await ask(admin, "kind=queue&by=label"))).toMatch(/^403 FORBIDDEN/);
  expect(outcome(await ask(root, "kind=everything&by=label"))).toMatch(/^400 VALIDATION_ERROR/);
  const queue = (await ask(root, "kind=queue&by=label")).json as { lines: Line[] };
  expect(queue.lines).toMatchObject([{ key: "send", isRest: false }]);
  // The next point may have begun.
  expect(queue.lines[0]?.peaks.filter((peak) => peak !== null)).toEqual([7]);
  const waiting = (await ask(admin, "kind=waiting&by=subject")).json as { lines: Line[] };
  expect(waiting.lines).toMatchObject([{ key: channelId, name: "Shop" }]);
});

test("points are deleted after the time that their chart shows", async () => {
  await node.db.query("delete from statistics");
  const add = (span: number, age: string) =>
    node.db.query(
      `insert into statistics values ($1, $2, 'inbound', now() - $3::interval, $4, '', 1, 0, 0)`,
      [account.id, span, age, newId()],
    );
  for (const [span, kept, gone] of [
    [300, "2 hours", "4 hours"],
    [3_600, "2 days", "4 days"],
    [86_400, "99 days", "101 days"],
  ] as const) {
    await add(span, kept);
    await add(span, gone);
  }
  const [{ rows } = { rows: 0 }] = await node.db.query<{ rows: number }>(
    STATISTIC_RETENTION["statistics"] ?? "",
    [],
  );
  expect(rows).toBe(3);
  expect(await node.db.query("select 1 from statistics")).toHaveLength(3);
});
