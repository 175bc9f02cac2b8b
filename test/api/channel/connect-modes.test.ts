import { Type } from "typebox";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ChannelLink, defineTransport } from "../../../src/core/transport/connector.ts";
import type { TransportDefinition } from "../../../src/core/transport/definition.ts";
import { CredentialsError, TransportError } from "../../../src/core/transport/errors.ts";
import { postbox } from "../../kit/transport.ts";
import { call, outcome } from "../kit/call.ts";
import { openPage } from "../kit/page.ts";
import { startSending } from "../kit/sending.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const secret = Type.String({ minLength: 1, sensitive: true });
const refuseToSend = () => Promise.reject(new TransportError("UNKNOWN_ERROR", "nothing is sent here"));

/** Linked on a page only; its sign-in keeps the chosen group between two visits. */
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
    signIn: {
      isOffered: () => true,
      start: async ({ state }) => `https://messenger.example/login?state=${state}`,
      async comeBack({ connect }, link, query) {
        const group = query.get("group");
        if (group !== null) {
          await link.state.set("group", group);
          return { kind: "choice", of: "community", items: [{ id: group, name: `Group ${group}` }] };
        }
        const found = await connect({ key: `${query.get("code")}:${await link.state.get("group")}` });
        return "refusal" in found
          ? { kind: "refused", reason: "credentials", description: found.refusal }
          : { kind: "connected", ...found };
      },
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

/** In no list of the interface: its definition is all that the installation knows. */
const own = defineTransport(
  { ...postbox, credentials: Type.Object({ key: secret }) } as const satisfies TransportDefinition,
  {
    verify: async ({ credentials: { key } }) => ({ profile: { messengerId: key, name: "Own" } }),
    open: async () => ({ send: refuseToSend, close: async () => undefined }),
  },
);

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode({ transports: [groups, bots, own] });
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

const linkTo = (options: object, owner = account) =>
  call(node, "POST", "/v2/iframe-links/channels", { token: owner.access, body: { options } });
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

test("a channel is created by signing in, once", async () => {
  const page = await openPage(node, await linkTo({ transport: "vk" }));
  const { channel_id: id, comeBack } = await page.signIn("vk");
  expect(await channels()).toEqual([]);
  expect(outcome(await page.get(`channels/${id}`))).toBe("404 CHANNEL_NOT_FOUND");

  expect(await comeBack("group=77")).toMatchObject({ kind: "choice", items: [{ id: "77" }] });
  expect(await comeBack("code=bad")).toMatchObject({ kind: "refused", reason: "credentials" });
  expect(await channels()).toEqual([]);
  expect(await comeBack("code=good")).toMatchObject({ kind: "connected", name: "Group 77" });
  expect(await channels()).toMatchObject([{ id, transport: "vk", name: "Group 77" }]);
  expect((await page.get(`channels/${id}`)).json).toMatchObject({ channel_id: id, name: "Group 77" });
  expect(await comeBack("code=good")).toMatchObject({ error: "NOT_FOUND" });
  expect(await channels()).toHaveLength(1);
});

test("a linked channel is linked again by signing in, as the same account", async () => {
  const [channel] = await channels();
  // As the session reports after opening.
  await node.db.query("update channels set status = 'active', messenger_id = '77' where id = $1", [
    channel?.id,
  ]);
  const page = await openPage(node, await linkTo({ channel_id: channel?.id }));
  const { channel_id: id, comeBack } = await page.signIn("vk");
  expect(id).toBe(channel?.id);
  await comeBack("group=78");
  expect(await comeBack("code=good")).toMatchObject({ kind: "refused", reason: "credentials" });
  await comeBack("group=77");
  expect(await comeBack("code=good")).toMatchObject({ kind: "connected" });
  expect(await comeBack("code=good")).toMatchObject({ error: "NOT_FOUND" });
  const foreign = await linkTo({ channel_id: channel?.id }, await addAccount(node.db));
  expect(outcome(foreign)).toBe("404 CHANNEL_NOT_FOUND");
});

test("a sign-in that is forged, expired or of another transport is refused", async () => {
  const page = await openPage(node, await linkTo({ transport: "vk" }));
  const { state, cookie, comeBack } = await page.signIn("vk");
  const changed = state.slice(0, -1) + (state.endsWith("A") ? "B" : "A");
  for (const [transport, given] of [
    ["vk", changed],
    ["viber", state],
    ["fax", state],
  ] as const) {
    const request = { body: { state: given, query: "code=good" }, headers: { cookie } };
    const answer = await call(node, "POST", `/app/api/sign-ins/${transport}/continuations`, request);
    expect(outcome(answer)).toBe("404 NOT_FOUND");
  }
  await node.db.query("update connect_visits set expires_at = now()", []);
  expect(await comeBack("code=good")).toMatchObject({ error: "NOT_FOUND" });
});

test("a person links by a key, and sees its error", async () => {
  const page = await openPage(node, await linkTo({ transport: "vk" }));
  const connect = (credentials: object) => page.post("channels", { transport: "vk", credentials });
  expect(outcome(await connect({}))).toBe("400 VALIDATION_ERROR credentials.key");
  expect(outcome(await connect({ key: "bad" }))).toBe("400 WRONG_CREDENTIALS");
  expect((await connect({ key: "good:99" })).json).toMatchObject({ status: "init", name: "Group 99" });
});

test("without a shared bot, a token is required, with an error that says so", async () => {
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

test("a transport that the interface does not list is connected by name, on the page or by a request", async () => {
  const owner = await addAccount(node.db);
  const link = await linkTo({ transport: "postbox" }, owner);
  expect(link.status).toBe(200);
  const created = await create({ transport: "postbox", credentials: { key: "box" } }, owner);
  expect(created.json).toMatchObject({ data: [{ transport: "postbox" }] });
  expect(outcome(await linkTo({ transport: "fax" }, owner))).toMatch(/^400 TRANSPORT_NOT_AVAILABLE/);
  const unknown = await create({ transport: "fax", credentials: { key: "box" } }, owner);
  expect(outcome(unknown)).toMatch(/^400 TRANSPORT_NOT_AVAILABLE/);
  const onPageOnly = await create({ transport: "vk", credentials: { key: "box" } }, owner);
  expect(outcome(onPageOnly)).toMatch(/^400 VALIDATION_ERROR transport/);
});
