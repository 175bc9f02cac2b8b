import { randomUUID } from "node:crypto";
import Type from "typebox";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createChannel, reinitChannel } from "../../../src/core/channel/channels.ts";
import { removeChannel } from "../../../src/core/message/remove-channel.ts";
import { PrimaryMemory } from "../../../src/core/primary-memory.ts";
import { defineTransport, type Session, type Transport } from "../../../src/core/transport/connector.ts";
import { TransportError } from "../../../src/core/transport/errors.ts";
import { transports } from "../../../src/transports/index.ts";
import { Sessions } from "../../../src/work/session/sessions.ts";
import { addAccount, startNode, type TestNode } from "../kit/service.ts";

/** Two accounts connect one messenger account, on every transport, with two nodes. */

const PATIENCE = { timeout: 60_000, interval: 20 };

/** What was changed at the messengers: by transport and messenger account, the channels that changed it, in order. */
const changes = new Map<string, string[]>();
/** A channel that moves to another node is opened again, which changes nothing. */
const changesOf = (transport: string, account: string): string[] => [
  ...new Set(changes.get(`${transport} ${account}`)),
];

/** The transport with its own way of connecting, and a messenger that notes who changes it. */
function noted({ definition }: Transport): Transport {
  const note = (account: string, entry: string): void => {
    const key = `${definition.id} ${account}`;
    changes.set(key, [...(changes.get(key) ?? []), entry]);
  };
  const { storedCredentials: _, ...rest } = definition;
  const accountIn = (credentials: unknown): string => (credentials as { account: string }).account;
  const profileOf = (account: string) => ({ messengerId: account, name: "Shop" });
  const credentials = Type.Object({ account: Type.String() });
  return defineTransport(
    { ...rest, credentials },
    {
      ...(definition.connect !== "qr" && {
        verify: async (access) => ({ profile: profileOf(accountIn(access.credentials)) }),
      }),
      async open(link): Promise<Session> {
        const account = accountIn(link.credentials);
        note(account, link.channelId);
        void link.emit({ kind: "link", state: { status: "active", profile: profileOf(account) } });
        return {
          send: () => Promise.reject(new TransportError("UNKNOWN_ERROR", "no line", { retry: "later" })),
          close: async () => undefined,
          logout: async () => note(account, `logout ${link.channelId}`),
        };
      },
    },
  );
}

let node: TestNode;
const nodes: Sessions[] = [];

beforeAll(async () => {
  node = await startNode({ transports: transports.map(noted) });
  for (let n = 0; n < 2; n++) nodes.push(await startSessions());
});
afterAll(async () => {
  await Promise.all(nodes.map((sessions) => sessions.stop()));
  await node.stop();
});

async function startSessions(): Promise<Sessions> {
  const lease = {
    nodeId: randomUUID(),
    isValid: () => true,
    concurrency: 1,
    primary: new PrimaryMemory(),
    release: async () => undefined,
  };
  await node.db.query(
    "insert into nodes (id, name, roles, lease_until) values ($1, 'n', '{sessions}', now() + interval '1 hour')",
    [lease.nodeId],
  );
  const nothing = { onReady: () => undefined, settle: async () => undefined };
  const sessions = new Sessions({ core: node.core, lease: () => lease, ...nothing });
  sessions.start();
  return sessions;
}

interface Connected {
  readonly accountId: number;
  readonly id: string;
}

async function connect(transport: string, messengerAccount: string): Promise<Connected> {
  const { id: accountId } = await addAccount(node.db);
  const wanted = { transport, credentials: { account: messengerAccount } };
  return { accountId, id: (await createChannel(node.core, { accountId }, wanted, null)).id };
}

async function statusOf({ id }: Connected): Promise<string> {
  const [row] = await node.db.query<{ status: string; owner: string | null }>(
    "select concat_ws('/', status, reason) as status, owner from channels where id = $1",
    [id],
  );
  return row?.status ?? "";
}

const until = (channel: Connected, status: string): Promise<unknown> =>
  vi.waitUntil(async () => (await statusOf(channel)) === status, PATIENCE);

async function untilLeft({ id }: Connected): Promise<void> {
  const query = "select 1 from channels where id = $1 and leaving_until is null and owner is null";
  await vi.waitUntil(async () => (await node.db.query(query, [id])).length === 1, PATIENCE);
}

const verified = transports.filter(({ definition }) => definition.connect !== "qr");
const scanned = transports.filter(({ definition }) => definition.connect === "qr");

test("the table covers all transports", () => {
  expect([verified.length, scanned.length]).toEqual([7, 3]);
});

describe.each(verified.map(({ definition }) => definition.id))("%s", (transport) => {
  test("the later account changes nothing at the messenger: connected, started anew, deleted", async () => {
    const account = randomUUID();
    const first = await connect(transport, account);
    await until(first, "active");
    const second = await connect(transport, account);
    await until(second, "disabled/openelsewhere");
    for (const credentials of [{ account }, {}].slice(0, hasStored(transport) ? 2 : 1)) {
      await reinitChannel(node.core, { accountId: second.accountId }, second.id, { credentials });
      await until(second, "disabled/openelsewhere");
    }
    await removeChannel(node.core, { accountId: second.accountId }, second.id, { deleteChats: false });
    await untilLeft(second);
    expect(changesOf(transport, account)).toEqual([first.id]);
    expect(await statusOf(first)).toBe("active");
  });

  test("of two that connect it at once, one has it, and the other changes nothing", async () => {
    const account = randomUUID();
    const both = await Promise.all([connect(transport, account), connect(transport, account)]);
    await vi.waitUntil(async () => {
      const statuses = await Promise.all(both.map(statusOf));
      return statuses.every((status) => !status.startsWith("init"));
    }, PATIENCE);
    const statuses = await Promise.all(both.map(statusOf));
    expect(statuses.toSorted()).toEqual(["active", "disabled/openelsewhere"]);
    expect(changesOf(transport, account)).toEqual([both[statuses.indexOf("active")]?.id]);
  });

  test("the later account gets it when the first has left", async () => {
    const account = randomUUID();
    const first = await connect(transport, account);
    await until(first, "active");
    const second = await connect(transport, account);
    await until(second, "disabled/openelsewhere");
    await removeChannel(node.core, { accountId: first.accountId }, first.id, { deleteChats: false });
    await untilLeft(first);
    await reinitChannel(node.core, { accountId: second.accountId }, second.id, { credentials: { account } });
    await until(second, "active");
    expect(changesOf(transport, account)).toEqual([first.id, `logout ${first.id}`, second.id]);
  });
});

/** A client may omit the credentials of a restart. */
function hasStored(transport: string): boolean {
  const connectBy = node.core.transports.get(transport)?.definition.connect;
  return connectBy === "redirect" || connectBy === "page";
}

test.each(scanned.map(({ definition }) => definition.id))(
  "%s: of two phones' links, the later one is ended and the first stays",
  async (transport) => {
    const account = randomUUID();
    const first = await connect(transport, account);
    await until(first, "active");
    const second = await connect(transport, account);
    await until(second, "disabled/openelsewhere");
    await vi.waitUntil(() => changesOf(transport, account).length === 3, PATIENCE);
    expect(changesOf(transport, account)).toEqual([first.id, second.id, `logout ${second.id}`]);
    expect(await statusOf(first)).toBe("active");
  },
);
