import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { V2_EVENTS } from "../../../src/core/delivery/receiver/kinds.ts";
import { revokeAny } from "../../../src/core/oauth/revoke.ts";
import { waitingEvents } from "../../kit/event-log.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import {
  addClientAccount,
  addPartner,
  askToken,
  clientTokens,
  refreshRequest,
  type TestPartner,
  type Tokens,
} from "../kit/partner.ts";
import { addChannel, addToken, startNode, type TestNode } from "../kit/service.ts";
import { sweeperOf } from "../kit/sweeper.ts";

interface Subscription {
  readonly id: string;
  readonly url: string;
  readonly event: string;
}

let node: TestNode;
let stopDelivery: () => Promise<void>;
let receiver: Receiver;
let partner: TestPartner;
let accountId: number;
/** The account's own access token and API key. */
let owner: string;
let apiKey: string;

beforeAll(async () => {
  node = await startNode();
  stopDelivery = await startDelivery(node);
});
beforeEach(async () => {
  partner = await addPartner(node);
  accountId = await addClientAccount(node, partner);
  owner = await addToken(node.db, accountId, "access");
  apiKey = await addToken(node.db, accountId, "api");
  receiver = await startReceiver();
  return () => receiver.stop();
});
afterAll(async () => {
  await stopDelivery();
  await node.stop();
});

const tokens = (scope?: string) => clientTokens(node, partner, accountId, scope);
const request = (method: "GET" | "POST" | "PATCH" | "DELETE", token: string, data?: unknown) =>
  call(node, method, "/v2/webhooks", { token, ...(data === undefined ? {} : { body: { data } }) });
const subscribe = (token: string, ...events: readonly string[]) =>
  request(
    "POST",
    token,
    events.map((event) => ({ url: `${receiver.url}/app`, event })),
  );
const dataOf = ({ json }: Answer) => (json as { data: Subscription[] }).data;
const eventsOf = async (token: string) => dataOf(await request("GET", token)).map(({ event }) => event);

/** Another application of the partner's, with tokens as if the account's owner had consented. */
async function consented(by: TestPartner, scope = "{transport,crm}"): Promise<string> {
  const { access_token: token } = await clientTokens(node, partner, accountId);
  await node.db.query(
    `update oauth_grants set partner_id = $1, client_id = $2, scope = $3
     where id = (select grant_id from tokens where hash = sha256($4))`,
    [by.id, by.clientId, scope, Buffer.from(token)],
  );
  return token;
}

describe("within its scope", () => {
  test.each([
    ["crm", V2_EVENTS.filter((event) => event.startsWith("crm_entities."))],
    ["transport", V2_EVENTS.filter((event) => !event.startsWith("crm_entities."))],
    ["transport,crm", [...V2_EVENTS]],
  ])("%s subscribes to %j and to nothing else", async (scope, allowed) => {
    const { access_token: token } = await tokens(scope);
    const answers = await Promise.all(V2_EVENTS.map((event) => subscribe(token, event)));
    expect(answers.map(outcome)).toEqual(
      V2_EVENTS.map((event) => (allowed.includes(event) ? "200" : "403 FORBIDDEN")),
    );
    expect((await eventsOf(token)).toSorted()).toEqual(allowed.toSorted());
  });

  test("one event outside it refuses the whole request, and no change can leave it", async () => {
    const { access_token: token } = await tokens("crm");
    expect(outcome(await subscribe(token, "crm_entities.contact_add", "message.add"))).toBe("403 FORBIDDEN");
    expect(await eventsOf(token)).toEqual([]);
    const [made] = dataOf(await subscribe(token, "crm_entities.contact_add"));
    const change = [{ id: made?.id, event: "message.add" }];
    for (const by of [token, owner])
      expect(outcome(await request("PATCH", by, change))).toBe("403 FORBIDDEN");
    expect(await eventsOf(owner)).toEqual(["crm_entities.contact_add"]);
  });
});

describe("an application", () => {
  test("sees and changes only its own subscriptions, while the owner has all", async () => {
    const [first, second] = [await consented(partner), await consented(await addPartner(node))];
    const made = await Promise.all(
      [first, second, owner].map(async (token) => dataOf(await subscribe(token, "message.add"))[0]?.id),
    );
    expect(new Set(made).size).toBe(3);
    expect(dataOf(await request("GET", first)).map(({ id }) => id)).toEqual([made[0]]);
    expect(dataOf(await request("GET", second)).map(({ id }) => id)).toEqual([made[1]]);
    expect(dataOf(await request("GET", owner)).length).toBe(3);
    for (const foreign of [made[1], made[2]]) {
      const change = [{ id: foreign, url: `${receiver.url}/mine` }];
      expect(outcome(await request("PATCH", first, change))).toBe("404 WEBHOOK_SUBSCRIPTION_NOT_FOUND");
      expect(outcome(await request("DELETE", first, [foreign]))).toBe("404 WEBHOOK_SUBSCRIPTION_NOT_FOUND");
    }
    expect((await request("DELETE", owner, [made[0]])).status).toBe(200);
    expect(await eventsOf(first)).toEqual([]);
  });

  test("does not see the address of another one that creates contacts", async () => {
    await subscribe(owner, "crm_entities.contact_add");
    const { access_token: token } = await tokens();
    const refused = await request("POST", token, [
      { url: `${receiver.url}/other`, event: "crm_entities.contact_add" },
    ]);
    expect(outcome(refused)).toBe("400 WEBHOOK_SUBSCRIPTION_EXISTS");
    expect(refused.text).not.toContain(receiver.url);
  });

  test("keeps subscriptions that the owner moves to another address, under its grant", async () => {
    const pair = await tokens();
    const [made] = dataOf(await subscribe(pair.access_token, "message.add"));
    await request("PATCH", owner, [{ id: made?.id, url: `${receiver.url}/moved` }]);
    expect(dataOf(await request("GET", pair.access_token))[0]?.url).toBe(`${receiver.url}/moved`);
    await revokeAny(node.core, pair.access_token);
    expect(await eventsOf(owner)).toEqual([]);
  });
});

describe("when its grant ends", () => {
  const endings: Record<string, (pair: Tokens) => Promise<unknown>> = {
    "by the partner": ({ refresh_token: token }) =>
      call(node, "POST", "/v2/oauth/revoke", { headers: partner.headers, body: { token } }),
    "by an operator": ({ access_token: token }) => revokeAny(node.core, token),
    "by a refresh token that comes twice": async ({ refresh_token: token }) => {
      await askToken(node, partner, refreshRequest(token, partner.clientId));
      await askToken(node, partner, refreshRequest(token, partner.clientId));
    },
    "by its time": async () => {
      await node.db.query("update oauth_grants set expires_at = now() where account_id = $1", [accountId]);
      const sweeper = sweeperOf(node);
      sweeper.start();
      await expect.poll(() => eventsOf(owner), { timeout: 20_000 }).toEqual(["message.add"]);
      await sweeper.stop();
    },
  };

  test.each(Object.keys(endings))("%s, nothing is sent to its addresses any more", async (how) => {
    const to = { account: { id: accountId }, channelId: await aChannel() };
    const pair = await tokens();
    await subscribe(pair.access_token, "message.add", "crm_entities.contact_add");
    await request("POST", owner, [{ url: `${receiver.url}/own`, event: "message.add" }]);
    await write(node, to, [["79990000001", "before"]]);
    await receiver.until(() => paths("before").length === 2);
    // What waits for the application is as lost as what comes later.
    receiver.respond = ({ path }, response) => response.writeHead(path === "/app" ? 503 : 200).end();
    await write(node, to, [["79990000001", "between"]]);
    await receiver.until(() => paths("between").includes("/app"));

    await endings[how]?.(pair);
    expect(await eventsOf(owner)).toEqual(["message.add"]);
    receiver.respond = null;
    // A request may have been under way.
    await stopDelivery();
    const ended = receiver.posts.length;
    stopDelivery = await startDelivery(node);
    await write(node, to, [["79990000001", "after"]]);
    await receiver.until(() => paths("after").length > 0);
    await replayAll();
    expect(
      receiver.posts
        .slice(ended)
        .map(({ path }) => path)
        .filter((path) => path !== "/own"),
    ).toEqual([]);
    expect(await waiting()).toBe(0);
  });

  test("subscriptions covered by another live grant of the application stay", async () => {
    const [both, crm] = [await tokens(), await tokens("crm")];
    await subscribe(both.access_token, "message.add", "crm_entities.contact_add");
    await revokeAny(node.core, both.access_token);
    expect(await eventsOf(crm.access_token)).toEqual(["crm_entities.contact_add"]);
    await revokeAny(node.core, crm.access_token);
    expect(await eventsOf(owner)).toEqual([]);
  });

  test("what waits for another application's former address stays", async () => {
    const to = { account: { id: accountId }, channelId: await aChannel() };
    const [mine, other] = [(await tokens()).access_token, await consented(await addPartner(node))];
    await request("POST", other, [{ url: `${receiver.url}/other`, event: "message.edit" }]);
    await leaveBehind(mine, to);
    await revokeAny(node.core, other);
    expect(await waiting()).toBe(1);
    receiver.respond = null;
    await receiver.until(() => paths("left behind").length > 1);
  });

  test.each(["revoked", "expired"])("(%s) nothing waits for its former address", async (how) => {
    const to = { account: { id: accountId }, channelId: await aChannel() };
    const { access_token: token } = await tokens();
    await leaveBehind(token, to);
    expect((await request("DELETE", token, await idsOf(token))).status).toBe(200);
    expect(await waiting()).toBe(1);
    if (how === "revoked") await revokeAny(node.core, token);
    else {
      await node.db.query("update oauth_grants set expires_at = now() where account_id = $1", [accountId]);
      const sweeper = sweeperOf(node);
      sweeper.start();
      await expect.poll(waiting, { timeout: 20_000 }).toBe(0);
      await sweeper.stop();
    }
    expect(await waiting()).toBe(0);
  });

  test("concurrently with a subscription, the subscription is refused or ends with it", async () => {
    for (let round = 0; round < 10; round++) {
      const { access_token: token } = await tokens();
      const [answer] = await Promise.all([subscribe(token, "message.add"), revokeAny(node.core, token)]);
      expect(["200", "401 INVALID_APIKEY", "403 FORBIDDEN"]).toContain(outcome(answer));
      expect(await eventsOf(owner)).toEqual([]);
    }
  });

  /** The application moves its subscription away from an address that still gets an event. */
  async function leaveBehind(token: string, to: Parameters<typeof write>[1]): Promise<void> {
    const [made] = dataOf(await subscribe(token, "message.add"));
    const moved = `${receiver.url}/moved`;
    await request("POST", token, [{ url: moved, event: "message.edit" }]);
    receiver.respond = ({ path }, response) => response.writeHead(path === "/app" ? 503 : 200).end();
    await write(node, to, [["79990000001", "left behind"]]);
    await receiver.until(() => paths("left behind").includes("/app"));
    expect((await request("PATCH", token, [{ id: made?.id, url: moved }])).status).toBe(200);
  }

  const idsOf = async (token: string) => dataOf(await request("GET", token)).map(({ id }) => id);
  const aChannel = () => addChannel(node, { id: accountId }, { transport: "whatsapp" });
  const paths = (text: string) =>
    receiver.posts.filter(({ body }) => body.includes(text)).map(({ path }) => path);
  const waiting = () => waitingEvents(node.db, accountId);

  /** Everything of the log once more, as an owner may ask after an outage. */
  async function replayAll(): Promise<void> {
    const body = { from: new Date(Date.now() - 3_600_000).toISOString() };
    const { json } = await call(node, "POST", "/v3/webhooks/replay", { token: apiKey, body });
    const { replayId: id } = json as { replayId: string };
    const finished = async () => {
      const answer = await call(node, "GET", `/v3/webhooks/replay/${id}`, { token: apiKey });
      return (answer.json as { finishedAt: string | null }).finishedAt;
    };
    await expect.poll(finished, { timeout: 20_000 }).not.toBeNull();
  }
});
