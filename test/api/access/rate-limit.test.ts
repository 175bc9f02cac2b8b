import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { addAccount, startNode, type TestNode } from "../kit/service.ts";

const LIMIT = 1_000;
let database: TestDatabase;
let nodes: [TestNode, TestNode];

beforeAll(async () => {
  database = await startTestDatabase();
  nodes = [
    await startNode({ database, rateLimitPerMinute: LIMIT }),
    await startNode({ database, rateLimitPerMinute: LIMIT }),
  ];
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await database.stop();
});

/** As many requests of a new account at once, over both nodes; again when the minute ended in between. */
async function flood(count: number, token: (account: Awaited<ReturnType<typeof addAccount>>) => string) {
  for (;;) {
    const account = await addAccount(nodes[0].db);
    const requests = Array.from({ length: count }, (_, index) =>
      call(nodes[index % 2] ?? nodes[0], "GET", "/v2/channels", { token: token(account) }),
    );
    const answers = await Promise.all(requests);
    if (new Set(answers.map(({ headers }) => headers["x-ratelimit-reset"])).size === 1)
      return { account, answers };
  }
}

const number = (answer: Answer | undefined, name: string) => Number(answer?.headers[name]);

test("1,001 requests at once over two nodes: exactly one is refused, and another account is not affected", async () => {
  const bystander = await addAccount(nodes[0].db);
  const [{ answers }, ...beside] = await Promise.all([
    flood(LIMIT + 1, ({ access }) => access),
    ...Array.from({ length: 20 }, (_, index) =>
      call(nodes[index % 2] ?? nodes[0], "GET", "/v2/channels", { token: bystander.access }),
    ),
  ]);
  for (const answer of beside) {
    expect(answer.status).toBe(200);
    expect(number(answer, "x-ratelimit-remaining")).toBeGreaterThanOrEqual(LIMIT - 20);
  }
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  const remaining = answers
    .filter(({ status }) => status === 200)
    .map((each) => number(each, "x-ratelimit-remaining"));
  expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: LIMIT }, (_, index) => index));
});

test("the refusal has Retry-After; accounts do not share a counter", async () => {
  const before = Date.now() / 1000;
  const { account, answers } = await flood(LIMIT + 5, ({ access }) => access);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.json).toEqual({
    error: "TOO_MANY_REQUESTS",
    description: "More requests than the limit allows in a minute",
  });
  const reset = number(refused, "x-ratelimit-reset");
  expect(reset % 60).toBe(0);
  expect(reset).toBeGreaterThan(before);
  expect(reset).toBeLessThan(Date.now() / 1000 + 65);
  expect(number(refused, "retry-after")).toBeGreaterThanOrEqual(1);
  expect(number(refused, "retry-after")).toBeLessThanOrEqual(60);
  expect([number(refused, "x-ratelimit-limit"), number(refused, "x-ratelimit-remaining")]).toEqual([
    LIMIT,
    0,
  ]);

  const other = await addAccount(nodes[0].db);
  expect((await call(nodes[0], "GET", "/v2/channels", { token: other.access })).status).toBe(200);
  // All tokens of an account share its counter; a wrong token counts for no account.
  const late = await call(nodes[1], "GET", "/v3/webhooks", { token: account.api });
  if (number(late, "x-ratelimit-reset") === reset) expect(outcome(late)).toBe("429 TOO_MANY_REQUESTS");
  expect((await call(nodes[1], "GET", "/v2/channels", { token: account.api })).status).toBe(401);
});

test("the limit is checked before the body, and restarts with the next minute", async () => {
  const { account } = await flood(LIMIT + 1, ({ access }) => access);
  const post = (node: TestNode) =>
    call(node, "POST", "/v2/messages", { token: account.access, raw: "{nonsense" });
  const answer = await post(nodes[0]);
  expect(["429 TOO_MANY_REQUESTS", "400 INVALID_JSON"]).toContain(outcome(answer));
  await nodes[0].db.query("update rate_counters set minute = minute - 1 where account_id = $1", [account.id]);
  // A node that starts now remembers nothing of the minute.
  const third = await startNode({ database, rateLimitPerMinute: LIMIT });
  expect(outcome(await post(third))).toBe("400 INVALID_JSON");
  await third.stop();
});

test("every authenticated answer carries the counter, errors too", async () => {
  const { access, sidecar } = await addAccount(nodes[0].db);
  const answers = [
    await call(nodes[0], "GET", "/v2/channels", { token: access }),
    await call(nodes[0], "GET", "/v2/channels/x", { token: access }),
    await call(nodes[0], "POST", "/v2/messages", { token: access, raw: "{" }),
    await call(nodes[0], "POST", "/v2/messages", { token: access, raw: "x".repeat(1_100_000) }),
    await call(nodes[0], "GET", "/v3/webhooks", { token: sidecar }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 413, 200]);
  for (const answer of answers) {
    expect(number(answer, "x-ratelimit-limit")).toBe(LIMIT);
    expect(number(answer, "x-ratelimit-remaining")).toBeLessThan(LIMIT);
    expect(number(answer, "x-ratelimit-reset") % 60).toBe(0);
    expect(answer.headers["ratelimit-policy"]).toBe(`"requests";q=${LIMIT};w=60`);
    const remaining = answer.headers["x-ratelimit-remaining"];
    expect(answer.headers["ratelimit"]).toMatch(
      new RegExp(`^"requests";r=${remaining};t=([1-9]|[1-5][0-9]|60)$`),
    );
  }
});

test("the window has the operator's length, on every node", async () => {
  const options = { database, rateLimitPerMinute: 4, rateLimitWindowMinutes: 2 };
  const pair = [await startNode(options), await startNode(options)];
  let answers: Answer[];
  do {
    const { access } = await addAccount(nodes[0].db);
    const requests = Array.from({ length: 6 }, (_, index) =>
      call(pair[index % 2] ?? nodes[0], "GET", "/v2/channels", { token: access }),
    );
    answers = await Promise.all(requests);
  } while (new Set(answers.map(({ headers }) => headers["x-ratelimit-reset"])).size > 1);
  for (const node of pair) await node.stop();
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  for (const answer of answers) {
    const reset = number(answer, "x-ratelimit-reset");
    expect(reset % 120).toBe(0);
    expect(reset - Date.now() / 1000).toBeLessThanOrEqual(120);
  }
});

test("a limit of 0 counts nothing", async () => {
  const node = await startNode({ database, rateLimitPerMinute: 0 });
  const { access } = await addAccount(node.db);
  const answer = await call(node, "GET", "/v2/channels", { token: access });
  expect([answer.status, answer.headers["x-ratelimit-limit"]]).toEqual([200, undefined]);
  await node.stop();
});
