import { randomUUID } from "node:crypto";
import Type from "typebox";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { compareAccounts, listNewAccounts } from "../../../src/core/account/listing.ts";
import { createChannel, reinitChannel } from "../../../src/core/channel/channels.ts";
import { claimMessengerAccount } from "../../../src/core/channel/link/claim.ts";
import { getLinkView } from "../../../src/core/channel/link/link-view.ts";
import type { Directory } from "../../../src/core/directory/directory.ts";
import { claimLink } from "../../../src/core/directory/links.ts";
import { removeChannel } from "../../../src/core/message/remove-channel.ts";
import { refuseForeignAccount } from "../../../src/core/move/foreign-account.ts";
import { PrimaryMemory } from "../../../src/core/primary-memory.ts";
import { defineTransport, type Session, type Transport } from "../../../src/core/transport/connector.ts";
import { TransportError } from "../../../src/core/transport/errors.ts";
import { transports } from "../../../src/transports/index.ts";
import { Sessions } from "../../../src/work/session/sessions.ts";
import { DirectoryUpkeep } from "../../../src/work/upkeep/directory.ts";
import { startTestDirectory, type TestDirectory } from "../../kit/directory.ts";
import { call } from "../kit/call.ts";
import { addAccount, startNode, type TestNode } from "../kit/service.ts";

/** Two cells with a directory: a messenger account has one channel in both. */

const PATIENCE = { timeout: 60_000, interval: 20 };
const credentials = Type.Object({ account: Type.String() });

/** Sessions that a test lets link. */
const scans = new Map<string, () => void>();

/** The messenger accounts that each call for all channels has reached. */
const appCalls: string[][] = [];

/** Telegram bots name their account beforehand, personal accounts when their code is scanned. */
function played(id: string): Transport {
  const found = transports.find(({ definition }) => definition.id === id);
  if (found === undefined) throw new Error(`There is no transport ${id}`);
  const { storedCredentials: _, ...rest } = found.definition;
  const isScanned = found.definition.connect === "qr";
  const profileOf = (access: unknown) => ({
    messengerId: (access as { account: string }).account,
    name: "Shop",
  });
  return defineTransport(
    { ...rest, credentials },
    {
      ...(!isScanned && {
        verify: async (access) => ({ profile: profileOf(access.credentials) }),
        // They tell which channel a call has reached.
        receive: async (_call, { messengerId }) => ({ status: 200, body: messengerId ?? "" }),
        async receiveForApp({ body }, app) {
          const found = await app.find({ messengerIds: [], businessIds: [Buffer.from(body).toString()] });
          appCalls.push(found.map(({ messengerId }) => messengerId));
          return { status: 200 };
        },
      }),
      async open(link): Promise<Session> {
        const profile = profileOf(link.credentials);
        const isLinked = () => void link.emit({ kind: "link", state: { status: "active", profile } });
        if (isScanned) {
          scans.set(link.channelId, isLinked);
          await link.emit({ kind: "link", state: { status: "init", reason: "qr", qr: "data:," } });
        } else isLinked();
        return {
          send: () => Promise.reject(new TransportError("UNKNOWN_ERROR", "no line", { retry: "later" })),
          close: async () => undefined,
        };
      },
    },
  );
}
const TRANSPORTS = [played("telegram"), played("whatsapp")];

interface TestCell {
  readonly node: TestNode;
  readonly directory: Directory;
  readonly upkeep: DirectoryUpkeep;
  sessions: Sessions;
}

let shared: TestDirectory;
let a: TestCell;
let b: TestCell;

beforeAll(async () => {
  shared = await startTestDirectory();
  [a, b] = [await startCell("a"), await startCell("b")];
});
beforeEach(async () => {
  shared.thaw();
  await shared.line.restore().catch(() => undefined);
  for (const { directory } of [a, b]) await directory.untilBack(AbortSignal.timeout(60_000));
});
afterAll(async () => {
  for (const { node, sessions } of [a, b]) {
    await sessions.stop();
    await node.stop();
  }
  await shared.stop();
});

async function startCell(name: string): Promise<TestCell> {
  const directory = shared.open(name, () => `http://${name}.example`);
  const node = await startNode({ transports: TRANSPORTS, directory });
  const upkeep = new DirectoryUpkeep(node.core, directory, 0);
  return { node, directory, upkeep, sessions: await startSessions(node) };
}

async function startSessions({ db, core }: TestNode): Promise<Sessions> {
  const lease = {
    nodeId: randomUUID(),
    isValid: () => true,
    concurrency: 1,
    primary: new PrimaryMemory(),
    release: async () => undefined,
  };
  await db.query(
    "insert into nodes (id, name, roles, lease_until) values ($1, 'n', '{sessions}', now() + interval '1 hour')",
    [lease.nodeId],
  );
  const nothing = { onReady: () => undefined, settle: async () => undefined };
  const sessions = new Sessions({ core, lease: () => lease, ...nothing });
  sessions.start();
  return sessions;
}

/** As after a restart of all nodes. */
async function restart(cell: TestCell): Promise<void> {
  await cell.sessions.stop();
  await cell.node.db.query("delete from nodes");
  cell.sessions = await startSessions(cell.node);
}

/** A round of the upkeep; the comparisons go through all that there is. */
async function upkeep(cell: TestCell): Promise<void> {
  for (const step of [...cell.upkeep.quick(), ...cell.upkeep.paced()])
    await step.run(new AbortController().signal);
}

interface Connected {
  readonly cell: TestCell;
  readonly accountId: number;
  readonly id: string;
}

async function connect(cell: TestCell, account: string, transport = "telegram"): Promise<Connected> {
  const { id: accountId } = await addAccount(cell.node.db);
  const { id } = await createChannel(
    cell.node.core,
    { accountId },
    { transport, credentials: { account } },
    null,
  );
  return { cell, accountId, id };
}

interface Row {
  readonly status: string;
  readonly claim: string | null;
}

async function rowOf({ cell, id }: Connected): Promise<Row | undefined> {
  const [row] = await cell.node.db.query<Row>(
    "select concat_ws('/', status, reason) as status, link_claim as claim from channels where id = $1",
    [id],
  );
  return row;
}

const until = (channel: Connected, status: string): Promise<unknown> =>
  vi.waitUntil(async () => (await rowOf(channel))?.status === status, PATIENCE);

const waits = async ({ cell, accountId, id }: Connected): Promise<boolean> =>
  (await getLinkView(cell.node.core, { accountId }, id)).waits;

/** Who has the messenger account, by the directory. */
async function holder(account: string): Promise<string | null> {
  const [row] = await shared.db.query<{ holder: string }>(
    "select a.cell || ' ' || l.channel_id as holder from links l join accounts a on a.id = l.account_id where messenger_id = $1",
    [account],
  );
  return row?.holder ?? null;
}

const disconnect = ({ cell, accountId, id }: Connected): Promise<unknown> =>
  removeChannel(cell.node.core, { accountId }, id, { deleteChats: false });
const again = ({ cell, accountId, id }: Connected, account: string): Promise<unknown> =>
  reinitChannel(cell.node.core, { accountId }, id, { credentials: { account } });

describe("a messenger account", () => {
  test("is linked in one cell only, and in another one when that has given it up", async () => {
    const account = randomUUID();
    const first = await connect(a, account);
    await until(first, "active");
    expect(await holder(account)).toBe(`a ${first.id}`);
    const second = await connect(b, account);
    await until(second, "disabled/openelsewhere");
    await disconnect(first);
    await upkeep(a);
    expect(await holder(account)).toBeNull();
    await again(second, account);
    await until(second, "active");
    expect(await holder(account)).toBe(`b ${second.id}`);
  });

  test("that a scanned code has linked is claimed then", async () => {
    const account = randomUUID();
    const first = await connect(a, account, "whatsapp");
    await until(first, "init/qr");
    expect(await holder(account)).toBeNull();
    scans.get(first.id)?.();
    await until(first, "active");
    const second = await connect(b, account, "whatsapp");
    await until(second, "init/qr");
    scans.get(second.id)?.();
    await until(second, "disabled/openelsewhere");
    expect(await holder(account)).toBe(`a ${first.id}`);
  });

  test("of cells that claim it at once, one gets it", async () => {
    const account = randomUUID();
    const both = await Promise.all([connect(a, account), connect(b, account)]);
    await vi.waitUntil(async () => {
      const rows = await Promise.all(both.map(rowOf));
      return rows.every((row) => row?.status.startsWith("init") === false);
    }, PATIENCE);
    const statuses = (await Promise.all(both.map(rowOf))).map((row) => row?.status);
    expect(statuses.toSorted()).toEqual(["active", "disabled/openelsewhere"]);
  });

  test("moves between channels of one cell at once, without waiting for the upkeep", async () => {
    const account = randomUUID();
    const first = await connect(a, account);
    await until(first, "active");
    await disconnect(first);
    const second = await connect(a, account);
    await until(second, "active");
    expect(await holder(account)).toBe(`a ${second.id}`);
    // The late release of the first one does not touch the second one's claim.
    await upkeep(a);
    expect(await holder(account)).toBe(`a ${second.id}`);
  });
});

describe.each(["frozen", "cut off"])("while the directory is %s", (how) => {
  const leave = async (): Promise<void> => (how === "frozen" ? shared.freeze() : shared.line.cut());
  const comeBack = async (): Promise<void> =>
    how === "frozen" ? shared.thaw() : void (await shared.line.restore());

  test("a new link waits, says so, and goes on by itself", async () => {
    const account = randomUUID();
    const scanned = await connect(a, randomUUID(), "whatsapp");
    await until(scanned, "init/qr");
    await leave();
    const [bot, phone] = [await connect(a, account), await connect(a, randomUUID(), "whatsapp")];
    await vi.waitUntil(() => waits(bot), PATIENCE);
    await vi.waitUntil(() => waits(phone), PATIENCE);
    // Its code was shown before.
    scans.get(scanned.id)?.();
    await vi.waitUntil(() => waits(scanned), PATIENCE);
    expect([(await rowOf(bot))?.status, (await rowOf(phone))?.status]).toEqual(["init", "init"]);
    await comeBack();
    await until(bot, "active");
    await until(phone, "init/qr");
    await until(scanned, "active");
    expect(await waits(bot)).toBe(false);
    expect(await holder(account)).toBe(`a ${bot.id}`);
  });

  test("channels that are linked connect again without it, and can be deleted", async () => {
    const [kept, gone] = [await connect(a, randomUUID()), await connect(a, randomUUID())];
    const account = randomUUID();
    const restarted = await connect(a, account);
    for (const channel of [kept, gone, restarted]) await until(channel, "active");
    await leave();
    await again(restarted, account);
    await restart(a);
    await disconnect(gone);
    await until(kept, "active");
    await until(restarted, "active");
    expect(await waits(kept)).toBe(false);
    await comeBack();
  });
});

describe("after a crash", () => {
  test("between claim and link, the same channel gets the account, and another one after the comparison", async () => {
    const account = randomUUID();
    const channel = await connect(a, randomUUID());
    await until(channel, "active");
    const { accountId, id: channelId } = channel;
    const wanted = { transport: "telegram", messengerId: account, accountId, moves: 0, channelId };
    expect((await claimLink(a.directory, wanted)).kind).toBe("claimed");
    expect((await claimLink(a.directory, wanted)).kind).toBe("claimed");
    expect(await holder(account)).toBe(`a ${channelId}`);
    await upkeep(a);
    expect(await holder(account)).toBeNull();
  });

  test("between unlink and release, the upkeep releases", async () => {
    const account = randomUUID();
    const channel = await connect(a, account);
    await until(channel, "active");
    await a.node.db.query("update channels set status = 'disabled', reason = 'unauthorized' where id = $1", [
      channel.id,
    ]);
    expect((await rowOf(channel))?.claim).toBeNull();
    await upkeep(a);
    expect(await holder(account)).toBeNull();
  });

  test("a claim whose id was lost is taken over by its channel", async () => {
    const account = randomUUID();
    const channel = await connect(a, account);
    await until(channel, "active");
    const { accountId, id: channelId } = channel;
    const late = await claimLink(a.directory, {
      ...{ transport: "telegram", messengerId: account, accountId, moves: 0, channelId },
    });
    await upkeep(a);
    await upkeep(a);
    expect(await holder(account)).toBe(`a ${channelId}`);
    expect((await rowOf(channel))?.status).toBe("active");
    expect(late.kind).toBe("claimed");
  });
});

describe("a cell from before the directory, or a lost directory", () => {
  test("channels that work get their claims from the upkeep", async () => {
    const account = randomUUID();
    const channel = await connect(a, account);
    await until(channel, "active");
    await shared.db.query("truncate accounts, links");
    await upkeep(a);
    await upkeep(a);
    expect(await holder(account)).toBe(`a ${channel.id}`);
    expect((await rowOf(channel))?.status).toBe("active");
  });
});

describe("a cell to which an account moves, before that has arrived", () => {
  let accountId: number;
  beforeEach(async () => {
    accountId = (await addAccount(a.node.db)).id;
    await upkeep(a);
    await b.node.db.query("insert into accounts (id, name) values ($1, 'Test')", [accountId]);
    await b.node.db.query(
      "insert into account_moves (account_id, side, move_id, state) values ($1, 'target', gen_random_uuid(), 'arriving')",
      [accountId],
    );
  });

  test("does not compare it with the directory", async () => {
    const listing = await compareAccounts(b.node.db, b.directory, 0);
    expect(listing.elsewhere.map((each) => each.accountId)).not.toContain(accountId);
    await listNewAccounts(b.node.db, b.directory);
    const rows = await b.node.db.query("select listed_moves, listed_cell from accounts where id = $1", [
      accountId,
    ]);
    expect(rows).toEqual([{ listed_moves: null, listed_cell: null }]);
  });

  test("sends its partner's requests to the cell that has it", async () => {
    await expect(refuseForeignAccount(b.node.core, accountId)).rejects.toThrow("http://a.example");
  });
});

describe("a restored cell", () => {
  test("loses a messenger account that another cell has linked since", async () => {
    const account = randomUUID();
    const old = await connect(a, account);
    await until(old, "active");
    // What its backup knows nothing of: it was given up, and linked in the other cell.
    await shared.db.query("delete from links where messenger_id = $1", [account]);
    const later = await connect(b, account);
    await until(later, "active");
    await upkeep(a);
    await until(old, "disabled/openelsewhere");
    expect(await holder(account)).toBe(`b ${later.id}`);
    const [state] = await a.node.db.query<{ detail: string }>(
      "select detail from channel_states where channel_id = $1 order by id desc limit 1",
      [old.id],
    );
    expect(state?.detail).toMatch(/another channel of this installation/);
  });

  test("frees what a channel has that its backup lacks", async () => {
    const account = randomUUID();
    const channel = await connect(a, account);
    await until(channel, "active");
    await a.node.db.query("delete from channels where id = $1", [channel.id]);
    await upkeep(a);
    expect(await holder(account)).toBeNull();
  });

  test.each([
    ["nothing", null],
    ["its copy", "copying"],
    ["a rest that was ended by a crash", "holding"],
  ])("leaves an account alone that has moved since, and of whose move it knows %s", async (_, state) => {
    const channel = await connect(a, randomUUID());
    await until(channel, "active");
    if (state !== null)
      await a.node.db.query(
        `insert into account_moves (account_id, side, move_id, state, address, hold_until)
         values ($1, 'source', gen_random_uuid(), $2, 'http://old.example', case $2 when 'holding' then now() end)`,
        [channel.accountId, state],
      );
    await upkeep(a);
    await upkeep(b);
    await shared.db.query("update accounts set cell = 'b', moves = moves + 1 where id = $1", [
      channel.accountId,
    ]);
    await upkeep(a);
    await vi.waitUntil(() => a.node.core.moves.isAway(channel.accountId), PATIENCE);
    expect(await a.node.core.moves.whereIs(channel.accountId)).toBe("http://b.example");
    // Nor can it link anything.
    const key = { accountId: channel.accountId, channelId: channel.id, epoch: 0 };
    await a.node.db.query("update channels set status = 'init', link_claim = null where id = $1", [
      channel.id,
    ]);
    expect(await claimMessengerAccount(a.node.core, key)).toBe("waits");
  });

  test("passes calls of messengers on to the cell to which their account has moved", async () => {
    const business = randomUUID();
    const channel = await connect(a, randomUUID());
    const { accountId, id } = channel;
    await until(channel, "active");
    await a.node.db.query("update channels set business_id = $2 where id = $1", [id, business]);
    const [sealed] = await a.node.db.query<{ credentials: Buffer }>(
      "select credentials from channels where id = $1",
      [id],
    );
    await b.node.db.query("insert into accounts (id, name) values ($1, 'Test')", [accountId]);
    await b.node.db.query(
      `insert into channels (account_id, id, transport, status, reason, name, phone, credentials, messenger_id, business_id)
       values ($1, $2, 'telegram', 'disabled', 'unauthorized', 'Shop', '', $3, 'at b', $4)`,
      [accountId, id, sealed?.credentials, business],
    );
    const callback = () => call(a.node, "POST", `/in/telegram/${id}`, { body: {} });
    expect((await callback()).text).not.toBe("at b");
    await upkeep(a);
    await upkeep(b);
    await shared.db.query("update accounts set cell = 'b', moves = moves + 1 where id = $1", [accountId]);
    await shared.db.query("update cells set address = $1 where name = 'b'", [b.node.url]);
    await upkeep(a);
    expect((await callback()).text).toBe("at b");
    // Those that other tests have let stand aside are nowhere else.
    await a.node.db.query("update account_moves set address = $1 where state = 'moved'", [b.node.url]);
    appCalls.length = 0;
    expect((await call(a.node, "POST", "/in/telegram", { raw: business })).status).toBe(200);
    expect(appCalls).toEqual([[], ["at b"]]);
    // Also what the account no longer has rows of here.
    await vi.waitUntil(() => a.node.core.moves.isAway(accountId), PATIENCE);
    await expect(a.node.core.moves.refuseMoved("channel", id)).rejects.toThrow(b.node.url);
  });
});

test("the name of a cell belongs to one database", async () => {
  const steps = a.upkeep.paced().slice(0, 1);
  await steps[0]?.run(new AbortController().signal);
  const rows = await shared.db.query("update cells set database_id = 'other' where name = 'a' returning 1");
  expect(rows).toHaveLength(1);
  const errors: unknown[] = [];
  const log = vi.spyOn(a.node.core.log, "error");
  onTestFinished(() => log.mockRestore());
  log.mockImplementation((...told: unknown[]) => void errors.push(told));
  await steps[0]?.run(new AbortController().signal);
  expect(JSON.stringify(errors)).toContain("another database uses the name of this cell");
  // It has died: the restored one takes over.
  await shared.db.query("update cells set seen_at = now() - interval '5 minutes' where name = 'a'");
  await steps[0]?.run(new AbortController().signal);
  const [cell] = await shared.db.query<{ database_id: string }>(
    "select database_id from cells where name = 'a'",
  );
  expect(cell?.database_id).not.toBe("other");
});
