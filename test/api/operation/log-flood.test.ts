import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createLog } from "../../../src/platform/log.ts";
import wapi from "../../../src/transports/wapi/index.ts";
import { call } from "../kit/call.ts";
import { addPartner, basic } from "../kit/partner.ts";
import { startNode, type TestNode } from "../kit/service.ts";

const MANY = 60;

let node: TestNode;
const lines: string[] = [];

beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(line) };
  node = await startNode({
    log: createLog({ level: "info", pretty: false, destination }),
    transports: [wapi],
  });
});
beforeEach(() => void lines.splice(0));
afterAll(() => node.stop());

const inTurn = async (ask: (index: number) => Promise<{ status: number }>): Promise<number[]> => {
  const found = new Set<number>();
  for (let index = 0; index < MANY; index++) found.add((await ask(index)).status);
  return [...found];
};

test("calls with a wrong signature are logged once", async () => {
  const headers = { "x-hub-signature-256": `sha256=${"0".repeat(64)}` };
  const call_ = (index: number) => call(node, "POST", "/in/wapi", { headers, body: { entry: [], index } });
  expect(await inTurn(call_)).toEqual([401]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("another app's secret");
});

test("wrong passwords from many addresses are logged once per partner, and once for unknown names", async () => {
  const partner = await addPartner(node);
  lines.splice(0);
  const guess = (index: number) => {
    const name = index % 2 === 0 ? partner.email : `nobody-${index}@crm.example`;
    const headers = { authorization: basic(name, `guess ${index}`), "x-forwarded-for": `203.0.113.${index}` };
    return call(node, "GET", "/v2/accounts/1", { headers });
  };
  expect(await inTurn(guess)).toEqual([401]);
  expect(lines).toHaveLength(2);
});

test("an internal failure that a caller can repeat is logged once", async () => {
  await node.db.query("alter table partners rename to partners_away");
  const ask = (index: number) =>
    call(node, "GET", "/v2/accounts/1", {
      headers: { authorization: basic(`a${index}@crm.example`, "guess") },
    });
  expect(await inTurn(ask)).toEqual([500]);
  await node.db.query("alter table partners_away rename to partners");
  expect(lines).toHaveLength(1);
});
