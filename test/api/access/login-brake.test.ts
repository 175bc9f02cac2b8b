import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { withinPeriod } from "../kit/login-period.ts";
import { addPartner, basic, type TestPartner } from "../kit/partner.ts";
import { startNode, type TestNode } from "../kit/service.ts";

let database: TestDatabase;
let nodes: [TestNode, TestNode];
let partner: TestPartner;
let addresses = 0;

beforeAll(async () => {
  database = await startTestDatabase();
  nodes = [await startNode({ database }), await startNode({ database })];
});
beforeEach(async () => {
  partner = await addPartner(nodes[0]);
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await database.stop();
});

const newAddress = (): string => `203.0.113.${++addresses}`;

/** A request that came through the proxy on this machine. */
function ask(authorization: string, from: string, on = nodes[0]): Promise<Answer> {
  const headers = { authorization, "x-forwarded-for": from };
  return call(on, "GET", "/v2/accounts/1", { headers });
}
const wrong = (index: number, email = partner.email): string => basic(email, `guess ${index}`);

const inOnePeriod = <T>(work: () => Promise<T>): Promise<T> =>
  withinPeriod(work, async () => {
    partner = await addPartner(nodes[0]);
  });

test("of thirty concurrent wrong passwords over two nodes ten are checked, and then not even the right one", async () => {
  const from = await inOnePeriod(async () => {
    const address = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => ask(wrong(index), address, nodes[index % 2])),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    const braked = answers.filter((answer) => outcome(answer) === "429 TOO_MANY_LOGINS");
    expect(braked).toHaveLength(20);
    for (const { headers } of braked) {
      expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
      expect(Number(headers["retry-after"])).toBeLessThanOrEqual(900);
    }
    expect(outcome(await ask(partner.headers.authorization, address, nodes[1]))).toBe("429 TOO_MANY_LOGINS");
    return address;
  });
  expect((await ask(partner.headers.authorization, newAddress())).status).toBe(404);
  await nodes[0].db.query("update login_attempts set period = period - 100");
  expect((await ask(partner.headers.authorization, from, nodes[1])).status).toBe(404);
});

test("a known client is not locked out by another one at the same address", async () => {
  const address = newAddress();
  expect((await ask(partner.headers.authorization, address)).status).toBe(404);
  await Promise.all(Array.from({ length: 15 }, (_, index) => ask(wrong(index), address)));
  expect((await ask(partner.headers.authorization, address)).status).toBe(404);
});

test("correct passwords do not count, however many arrive at once", async () => {
  await inOnePeriod(async () => {
    const address = newAddress();
    const right = await Promise.all(
      Array.from({ length: 60 }, (_, index) => ask(partner.headers.authorization, address, nodes[index % 2])),
    );
    expect(new Set(right.map(outcome))).toEqual(new Set(["404 ACCOUNT_NOT_FOUND"]));
    const guesses = await Promise.all(Array.from({ length: 15 }, (_, index) => ask(wrong(index), address)));
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10);
  });
});

test("one address may not try many names", async () => {
  await inOnePeriod(async () => {
    const address = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => ask(wrong(index, `name-${index}@crm.example`), address)),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });
});

test("all addresses of an IPv6 network are one caller", async () => {
  await inOnePeriod(async () => {
    const network = `2001:db8:0:${++addresses}`;
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ask(wrong(index), `${network}::${index + 1}`)),
    );
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });
});

test("a caller's own claim about its address is ignored", async () => {
  await inOnePeriod(async () => {
    const address = newAddress();
    const answers: Answer[] = [];
    for (let index = 0; index < 12; index++)
      answers.push(await ask(wrong(index), `198.51.100.${index}, ${address}`));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });
});

test("a flood from many addresses is limited, without affecting known clients", async () => {
  expect((await ask(partner.headers.authorization, newAddress())).status).toBe(404);
  const flood = Promise.all(Array.from({ length: 120 }, (_, index) => ask(wrong(index), `192.0.2.${index}`)));
  expect((await ask(partner.headers.authorization, newAddress())).status).toBe(404);
  const outcomes = (await flood).map(outcome);
  expect(new Set(outcomes)).toEqual(new Set(["401 INVALID_APIKEY", "503 UNAVAILABLE"]));
  // Attempts that were not checked do not count.
  const [counted] = await nodes[0].db.query<{ n: number }>(
    "select count(*)::int as n from login_attempts where attempts = 0",
  );
  expect(counted?.n).toBeGreaterThanOrEqual(2 * outcomes.filter((each) => each.startsWith("503")).length);
});
