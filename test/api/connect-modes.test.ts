import { Type } from "typebox";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ChannelLink, defineTransport } from "../../src/core/transport/connector.ts";
import type { TransportDefinition } from "../../src/core/transport/definition.ts";
import { CredentialsError, TransportError } from "../../src/core/transport/errors.ts";
import { postbox } from "../kit/transport.ts";
import { call, outcome } from "./kit/call.ts";
import { startSending } from "./kit/sending.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "./kit/service.ts";

const secret = Type.String({ minLength: 1, sensitive: true });
const refuseToSend = () => Promise.reject(new TransportError("UNKNOWN_ERROR", "nothing is sent here"));

/** Linked on a page only; the page keeps the chosen group between two visits. */
const groups = defineTransport(
  {
    ...postbox,
    id: "vk",
    connect: "page",
    credentials: Type.Object({ key: secret }),
  } as const satisfies TransportDefinition,
  {
    async verify({ credentials: { key } }) {
      if (!key.startsWith("good:")) throw new CredentialsError("no such key");
      return { profile: { messengerId: key.slice(5), name: `Group ${key.slice(5)}` } };
    },
    async page(visit, link) {
      const group = visit.query.get("group");
      if (group !== null) await link.state.set("group", group);
      const code = visit.query.get("code");
      if (code === null) return { title: "Connect", html: JSON.stringify({ isLinked: visit.isLinked }) };
      const outcome = await visit.connect({ key: `${code}:${await link.state.get("group")}` });
      if ("refusal" in outcome) return { status: 400, title: "No", html: outcome.refusal };
      return { title: `Connected as ${outcome.profile.name}`, html: "" };
    },
    open: async () => ({ send: refuseToSend, close: async () => undefined }),
  },
);

const links = new Map<string, ChannelLink>();
/** Claimed by a code that a person brings into the messenger, where the installation has a bot. */
const shared = { bot: "" };
const bots = defineTransport(
  {
    ...postbox,
    id: "viber",
    connect: "invitation",
    calledBack: "channel",
    chatTypes: ["viber"],
    credentials: Type.Object({ viber_token: secret }),
    storedCredentials: Type.Object({
      viber_token: Type.Optional(secret),
      owner: Type.Optional(Type.String()),
    }),
  } as const satisfies TransportDefinition,
  {
    async verify({ credentials }) {
      const { viber_token: token } = credentials;
      return { profile: { messengerId: token, name: "Own bot" }, credentials };
    },
    async invite(_access, code) {
      if (shared.bot === "") throw new CredentialsError("viber_token is required: there is no bot to share");
      return { url: `viber://pa?chatURI=${shared.bot}&context=${code}` };
    },
    async open(link) {
      links.set(link.channelId, link as ChannelLink);
      if (Object.keys(link.credentials).length === 0)
        await link.emit({ kind: "link", state: { status: "init", reason: "qr", qr: "data:," } });
      return { send: refuseToSend, close: async () => void links.delete(link.channelId) };
    },
    receive: async () => ({ status: 200, body: "own", contentType: "application/json" }),
    async receiveForApp({ query }, app) {
      const [code, person] = [query.get("code") ?? "", query.get("person") ?? ""];
      const found = await app.byCode(code);
      if (found?.kind === "invitation") await app.bind(person, found.channel);
      if (found?.kind === "claim") {
        const profile = { messengerId: `bot/${person}`, name: "Shared bot", url: "viber://pa?chatURI=bot" };
        return {
          status: 200,
          body: JSON.stringify(await app.claim(code, { profile, credentials: { owner: person } })),
        };
      }
      const channel = (await app.bound([person])).get(person);
      return { status: 200, body: channel?.link.channelId ?? "nobody" };
    },
  },
);

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode({ transports: [groups, bots] });
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

const linkTo = (options: object, owner = account) =>
  call(node, "POST", "/v2/iframe-links/channels", { token: owner.access, body: { options } });
const pathOf = (answer: { json: unknown }): string =>
  new URL((answer.json as { data: { link: string } }).data.link).pathname;
const create = (body: object, owner = account) =>
  call(node, "POST", "/v2/channels", { token: owner.access, body });
const channels = () =>
  node.db.query<{
    id: string;
    transport: string;
    messenger_id: string;
    url: string;
    name: string;
    reason: string;
  }>(
    "select id, transport, messenger_id, url, name, reason from channels where deleted_at is null order by created_at",
  );

test("a channel comes to life on its page, once", async () => {
  const page = pathOf(await linkTo({ transport: "vk" }));
  expect(page).toMatch(/^\/connect\/vk\/[\w-]{36}\.[\w-]{43}$/);
  const shown = await call(node, "GET", page);
  expect([shown.status, shown.text.includes('{"isLinked":false}')]).toEqual([200, true]);
  expect(shown.headers["content-security-policy"]).toContain("frame-ancestors *");
  expect(await channels()).toEqual([]);

  await call(node, "GET", `${page}?group=77`);
  const state = page.split("/").at(-1);
  expect((await call(node, "GET", `/connect/vk?state=${state}&code=bad`)).status).toBe(400);
  const linked = await call(node, "GET", `/connect/vk?state=${state}&code=good`);
  expect(linked.text).toContain("Connected as Group 77");
  const [channel] = await channels();
  expect(channel).toMatchObject({ id: state?.split(".")[0], transport: "vk", name: "Group 77" });
  for (const again of [page, `/connect/vk?state=${state}&code=good`])
    expect((await call(node, "GET", again)).status).toBe(404);
  expect(await channels()).toHaveLength(1);
});

test("a linked channel is linked again on a page that knows it", async () => {
  const [channel] = await channels();
  // As its session tells when it has opened.
  await node.db.query("update channels set status = 'active', messenger_id = '77' where id = $1", [
    channel?.id,
  ]);
  const page = pathOf(await linkTo({ channel_id: channel?.id }));
  expect((await call(node, "GET", page)).text).toContain('{"isLinked":true}');
  await call(node, "GET", `${page}?group=78`);
  expect((await call(node, "GET", `${page}?code=good`)).status).toBe(400);
  await call(node, "GET", `${page}?group=77`);
  expect((await call(node, "GET", `${page}?code=good`)).text).toContain("Connected as Group 77");
  expect((await call(node, "GET", page)).status).toBe(404);
  const foreign = await linkTo({ channel_id: channel?.id }, await addAccount(node.db));
  expect(outcome(foreign)).toBe("404 CHANNEL_NOT_FOUND");
});

test("a forged visit, one of another transport and one that is over show nothing", async () => {
  const page = pathOf(await linkTo({ transport: "vk" }));
  const changed = page.slice(0, -1) + (page.endsWith("A") ? "B" : "A");
  for (const path of [changed, page.replace("/vk/", "/viber/")])
    expect((await call(node, "GET", path)).status).toBe(404);
  await node.db.query("update connect_visits set expires_at = now()", []);
  expect((await call(node, "GET", page)).status).toBe(404);
});

test("without a bot to share a token is needed, and said so", async () => {
  shared.bot = "";
  const answer = await create({ transport: "viber", credentials: {} });
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({
    error: "VALIDATION_ERROR",
    data: { fields: [{ field: "credentials", message: expect.stringContaining("viber_token is required") }] },
  });
  expect(outcome(await create({ transport: "viber", credentials: { viber_token: "own" } }))).toBe("200");
});

test("a claim code links its channel, once; an invitation binds customers to it", async () => {
  shared.bot = "shop";
  const stop = await startSending(node);
  const [made] = (
    (await create({ transport: "viber", credentials: {} })).json as { data: Record<string, string>[] }
  ).data;
  const { channel_id: id = "", url = "" } = made ?? {};
  const code = new URL(url).searchParams.get("context") ?? "";
  const found = async () => (await channels()).find((each) => each.id === id);
  await vi.waitUntil(async () => (await found())?.reason === "qr", { interval: 20 });
  const link = await vi.waitUntil(() => links.get(id), { interval: 20 });
  expect(link.codes.claim).toBe(code);
  expect(link.callbackUrl).toBe(`http://127.0.0.1/in/viber/${id}`);
  expect(link.appCallbackUrl).toBe("http://127.0.0.1/in/viber");
  const { invitation } = link.codes;
  const told = async (query: Record<string, string>) =>
    (await call(node, "POST", `/in/viber?${new URLSearchParams(query)}`)).text;

  expect(await told({ code: `${code.slice(0, -1)}!`, person: "eve" })).toBe("nobody");
  expect(await told({ code, person: "ann" })).toContain('"name":"Shared bot"');
  expect(await found()).toMatchObject({ messenger_id: null, url, name: "" });
  const reopened = await vi.waitUntil(() => (links.get(id) === link ? undefined : links.get(id)), {
    interval: 20,
  });
  expect(reopened.credentials).toEqual({ owner: "ann" });
  expect(reopened.codes.invitation).toBe(invitation);
  expect(await told({ code, person: "eve" })).toBe("nobody");

  expect(await told({ code: invitation, person: "bob" })).toBe(id);
  expect(await told({ person: "bob" })).toBe(id);
  expect(await told({ person: "eve" })).toBe("nobody");
  const own = await call(node, "POST", `/in/viber/${id}`);
  expect([own.text, own.headers["content-type"]]).toEqual(["own", "application/json; charset=utf-8"]);

  await call(node, "DELETE", `/v2/channels/${id}`, { token: account.access });
  expect(await told({ person: "bob" })).toBe("nobody");
  expect(await node.db.query("select key from app_bindings")).toEqual([]);
  await stop();
});
