import { Type } from "typebox";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openCredentials } from "../../../src/core/channel/credentials/credentials.ts";
import { createLink } from "../../../src/core/inbound/link.ts";
import { type ChannelLink, defineTransport } from "../../../src/core/transport/connector.ts";
import type { TransportDefinition } from "../../../src/core/transport/definition.ts";
import { CredentialsError } from "../../../src/core/transport/errors.ts";
import { createDemo } from "../../../src/service/first-start.ts";
import { postbox } from "../../kit/transport.ts";
import { call } from "../kit/call.ts";
import { startSending } from "../kit/sending.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const secret = Type.String({ minLength: 1, sensitive: true });
/** Owners give a code that serves once; a pair of tokens is stored, of which one makes the next. */
const definition = {
  ...postbox,
  id: "avito",
  chatTypes: ["avito"],
  credentials: Type.Object({ code: secret }),
  storedCredentials: Type.Object({ access: secret, refresh: secret }),
} as const satisfies TransportDefinition;

type Tokens = { access: string; refresh: string };
const links = new Map<string, ChannelLink<Tokens>>();
const used = new Set<string>();

const transport = defineTransport(definition, {
  async verify({ credentials: { code } }) {
    if (used.has(code)) throw new CredentialsError("the code was used already");
    used.add(code);
    const credentials = { access: `access-of-${code}`, refresh: `refresh-of-${code}` };
    return { profile: { messengerId: code, name: "Shop" }, credentials };
  },
  async open(link) {
    links.set(link.channelId, link as ChannelLink<Tokens>);
    return {
      send: () => Promise.reject(new Error("nothing is sent here")),
      close: async () => void links.delete(link.channelId),
    };
  },
  async receive(_request, link) {
    const outcome = await link.renewCredentials({ access: "a", refresh: "r" }).then(
      () => "renewed",
      (error: Error) => error.message,
    );
    return { status: 200, body: outcome };
  },
});

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode({ transports: [transport] });
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

async function create(code: string): Promise<string> {
  const body = { transport: "avito", credentials: { code } };
  const { json } = await call(node, "POST", "/v2/channels", { token: account.access, body });
  return (json as { data: { channel_id: string }[] }).data[0]?.channel_id ?? "";
}

async function stored(channelId: string): Promise<unknown> {
  const [row] = await node.db.query<{ credentials: Buffer }>(
    "select credentials from channels where id = $1",
    [channelId],
  );
  return row && openCredentials(node.core, channelId, row.credentials);
}

const opened = (channelId: string) => vi.waitUntil(() => links.get(channelId), { interval: 20 });

test("the credentials that replace a code are stored", async () => {
  const channelId = await create("code-1");
  expect(await stored(channelId)).toEqual({ access: "access-of-code-1", refresh: "refresh-of-code-1" });
  const body = { transport: "avito", credentials: { code: "code-1" } };
  const again = await call(node, "POST", "/v2/channels", { token: account.access, body });
  expect(again.json).toMatchObject({ error: "WRONG_CREDENTIALS" });
});

test("a session renews its credentials; a node that lost the channel, or never had it, cannot", async () => {
  const channelId = await create("code-2");
  const stop = await startSending(node);
  const link = await opened(channelId);
  expect(link.credentials).toEqual({ access: "access-of-code-2", refresh: "refresh-of-code-2" });

  const next = { access: "second-access", refresh: "second-refresh" };
  await link.renewCredentials(next);
  expect(link.credentials).toEqual(next);
  expect(await stored(channelId)).toEqual(next);
  link.log("warn", "refused second-access and access-of-code-2");
  const told = async () =>
    (
      await node.db.query<{ message: string }>("select message from channel_log where channel_id = $1", [
        channelId,
      ])
    ).map(({ message }) => message);
  await vi.waitUntil(async () => (await told()).length > 0, { interval: 20 });
  expect(await told()).toEqual(["refused *** and ***"]);

  const callback = await call(node, "POST", `/in/avito/${channelId}`, { body: {} });
  expect(callback.text).toBe("Only the session of a channel renews its credentials");

  await stop();
  const late = link.renewCredentials({ access: "late", refresh: "late" });
  await expect(late).rejects.toThrow("belongs to another node now");
  expect(await stored(channelId)).toEqual(next);

  const goOn = await startSending(node);
  expect((await opened(channelId)).credentials).toEqual(next);
  await goOn();
});

test("an earlier epoch cannot renew, even on the node that owns the channel", async () => {
  const channelId = await create("code-3");
  const stop = await startSending(node);
  await opened(channelId);
  const [row] = await node.db.query<{
    account_id: number;
    epoch: number;
    owner: string;
    credentials: Buffer;
  }>("select account_id, epoch, owner, credentials from channels where id = $1", [channelId]);
  if (row === undefined) throw new Error("no channel");
  const registered = node.core.transports.get("avito");
  if (registered === undefined) throw new Error("no transport");
  const linkOf = (epoch: number) =>
    createLink(node.core, {
      proxy: {},
      key: { accountId: row.account_id, channelId, epoch, owner: row.owner },
      transport: registered,
      sealedCredentials: row.credentials,
      signal: new AbortController().signal,
      onLinkState: async () => undefined,
    });
  const tokens = { access: "x", refresh: "y" };
  await expect(linkOf(row.epoch - 1).renewCredentials(tokens)).rejects.toThrow("belongs to another node now");
  await linkOf(row.epoch).renewCredentials(tokens);
  expect(await stored(channelId)).toEqual(tokens);
  await stop();
});

test("an incomplete demo account is closed, and the next start creates another", async () => {
  // This node has no Telegram, as one whose sandbox does not answer.
  for (const _ of ["first start", "second start"])
    await expect(createDemo(node.core, "http://127.0.0.1:9/inbox")).rejects.toThrow();
  const demos = await node.db.query<{ tokens: string }>(
    "select (select count(*) from tokens t where t.account_id = a.id and t.revoked_at is null) as tokens from accounts a where name = 'Demo'",
  );
  expect(demos.map(({ tokens }) => Number(tokens))).toEqual([0, 0]);
});
