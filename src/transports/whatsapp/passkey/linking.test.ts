import { EventEmitter } from "node:events";
import type { AuthenticationCreds, BinaryNode, WASocket } from "baileys";
import { expect, test, vi } from "vitest";
import type { LinkState } from "../../../core/transport/events.ts";
import { initAuthCreds } from "../library.ts";
import { PasskeyLinking } from "./linking.ts";

const timing = { handoffMs: 300_000, continueMs: 60_000 };
const from = "s.whatsapp.net";

/** The linking over a connection whose queries the test answers. */
function start() {
  const ws = new EventEmitter();
  const queries: { readonly tag: string; readonly answered: PromiseWithResolvers<BinaryNode> }[] = [];
  const query = (node: BinaryNode): Promise<BinaryNode> => {
    const answered = Promise.withResolvers<BinaryNode>();
    const [child] = node.content as BinaryNode[];
    queries.push({ tag: child?.tag ?? "", answered });
    return answered.promise;
  };
  const creds: AuthenticationCreds = initAuthCreds();
  const told: LinkState[] = [];
  const failed: string[] = [];
  const linking = new PasskeyLinking({
    socket: { ws, query } as unknown as WASocket,
    creds,
    deviceType: 1,
    timing,
    begin: () => undefined,
    tell: async (state) => void told.push(state),
    fail: (problem) => void failed.push(problem),
    log: () => undefined,
  });
  /** The server asks; `text` is the request. */
  const ask = (text: string, attrs: Record<string, string> = { from }): void => {
    const content = [{ tag: "passkey_request_options", attrs: {}, content: Buffer.from(text) }];
    const type = "passkey_prologue_request";
    ws.emit(`CB:notification,type:${type}`, { tag: "notification", attrs: { ...attrs, type }, content });
  };
  return { linking, queries, creds, told, failed, ask };
}

const optionsOf = (challenge: string): string =>
  JSON.stringify({ challenge, rpId: "whatsapp.com", timeout: 600_000 });
const responseWith = (text: string): BinaryNode => ({
  tag: "iq",
  attrs: {},
  content: [{ tag: "passkey_request_options", attrs: {}, content: Buffer.from(text) }],
});

test("a second request that arrives while the first is fetched replaces it, and proves nothing", async () => {
  const { linking, queries, told, ask } = start();
  ask("malformed");
  ask("malformed");
  const [first, second] = queries;
  // Answered in the wrong order.
  second?.answered.resolve(responseWith(optionsOf("c2Vjb25k")));
  await vi.waitUntil(() => told.length > 0);
  first?.answered.resolve(responseWith(optionsOf("Zmlyc3Q")));
  await first?.answered.promise;
  await vi.waitUntil(() => linking.isPending);
  expect(told).toMatchObject([
    { reason: "wait_for_passkey", passkey: { request: { challenge: "c2Vjb25k" }, promptMs: 0 } },
  ]);
  linking.stop();
});

test("a connection that ends while the request is fetched asks for nothing", async () => {
  const { linking, queries, told, failed, ask } = start();
  ask("malformed");
  expect(linking.isPending).toBe(true);
  linking.stop();
  const [fetched] = queries;
  fetched?.answered.resolve(responseWith(optionsOf("Zmlyc3Q")));
  await fetched?.answered.promise;
  await new Promise(setImmediate);
  expect([linking.isPending, told, failed]).toEqual([false, [], []]);
});

test.each<[string, (answered: PromiseWithResolvers<BinaryNode>) => void]>([
  ["malformed again", ({ resolve }) => resolve(responseWith("malformed"))],
  ["missing", ({ resolve }) => resolve({ tag: "iq", attrs: {} })],
  ["refused", ({ reject }) => reject(new Error("item-not-found"))],
])("a request that is %s ends the linking", async (_, answer) => {
  const { queries, told, failed, ask } = start();
  ask("malformed");
  const [fetched] = queries;
  if (fetched !== undefined) answer(fetched.answered);
  await vi.waitUntil(() => failed.length > 0);
  expect([told, failed]).toEqual([[], ["interrupted"]]);
});

test.each<Record<string, string>>([{ from: "79990000001@s.whatsapp.net" }, {}])(
  "a request of another sender is ignored: %j",
  (attrs) => {
    const { linking, creds, told, ask } = start();
    const secret = creds.advSecretKey;
    ask(optionsOf("Zmlyc3Q"), attrs);
    expect([linking.isPending, told, creds.advSecretKey === secret]).toEqual([false, [], true]);
  },
);
