import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPartner, setPartnerPassword } from "../../../src/core/account/partners.ts";
import { mintFor } from "../../../src/core/account/tokens.ts";
import type { Directory } from "../../../src/core/directory/directory.ts";
import { type Cell, moveAccount } from "../../../src/core/move/move.ts";
import { startGrant, type TokenPair } from "../../../src/core/oauth/grants.ts";
import { createPartnerWithClient } from "../../../src/core/oauth/new-partner.ts";
import { DirectoryUpkeep } from "../../../src/work/upkeep/directory.ts";
import { startTestDirectory, type TestDirectory } from "../../kit/directory.ts";
import { call, outcome } from "../kit/call.ts";
import { ACCOUNT, basic } from "../kit/partner.ts";
import { startNode, type TestNode } from "../kit/service.ts";

/** Two cells with a directory: a partner exists in both. */

interface TestCell {
  readonly node: TestNode;
  readonly directory: Directory;
  readonly upkeep: DirectoryUpkeep;
}

let shared: TestDirectory;
let a: TestCell;
let b: TestCell;
const PASSWORD = "long enough, this";
let partners = 0;

beforeAll(async () => {
  shared = await startTestDirectory();
  [a, b] = [await startCell("a"), await startCell("b")];
});
afterAll(async () => {
  for (const { node } of [a, b]) await node.stop();
  await shared.stop();
});

async function startCell(name: string): Promise<TestCell> {
  let url = "";
  const directory = shared.open(name, () => url);
  const node = await startNode({ directory });
  url = node.url;
  return { node, directory, upkeep: new DirectoryUpkeep(node.core, directory) };
}

const post = (cell: TestCell, email: string, body: object) =>
  call(cell.node, "POST", "/v2/oauth/token", { headers: { authorization: basic(email, PASSWORD) }, body });

async function upkeep(cell: TestCell): Promise<void> {
  for (const step of [...cell.upkeep.quick(), ...cell.upkeep.paced()])
    await step.run(new AbortController().signal);
}

const newEmail = (): string => `directory-${++partners}@crm.example`;
const addPartner = ({ node, directory }: TestCell, email = newEmail()) =>
  createPartnerWithClient(node.db, { email, name: "CRM", password: PASSWORD }, directory);

/** Whether the partner gets in: an unknown token counts as revoked. */
const entry = async ({ node }: TestCell, email: string, password = PASSWORD): Promise<string> =>
  outcome(
    await call(node, "POST", "/v2/oauth/revoke", {
      headers: { authorization: basic(email, password) },
      body: { token: "unknown" },
    }),
  );

test("a partner is known in all cells, with its application and its new password", async () => {
  const { partner, clientId } = await addPartner(a);
  expect(await entry(b, partner.email)).toBe("401 INVALID_APIKEY");
  await upkeep(b);
  expect(await entry(b, partner.email)).toBe("200");
  const clients = await b.node.db.query("select 1 from oauth_clients where id = $1", [clientId]);
  expect(clients).toHaveLength(1);
  const changed = { email: partner.email, password: "another password" };
  await setPartnerPassword(b.node.db, changed, b.directory);
  expect(await entry(b, partner.email, "another password")).toBe("200");
  await upkeep(a);
  expect(await entry(a, partner.email)).toBe("401 INVALID_APIKEY");
  expect(await entry(a, partner.email, "another password")).toBe("200");
});

test("partners from before the directory enter it; of two with one address, each stays in its cell", async () => {
  const [old, double] = [newEmail(), newEmail()];
  await createPartner(a.node.db, { email: old, name: "Old", password: PASSWORD }, null);
  await createPartner(a.node.db, { email: double, name: "A", password: PASSWORD }, null);
  await createPartner(b.node.db, { email: double, name: "B", password: "that of b, long" }, null);
  await a.node.db.query("delete from installation where key = 'directory_partners_version'");
  await b.node.db.query("delete from installation where key = 'directory_partners_version'");
  await upkeep(a);
  await upkeep(b);
  expect(await entry(b, old)).toBe("200");
  expect(await entry(b, double)).toBe("401 INVALID_APIKEY");
  expect(await entry(b, double, "that of b, long")).toBe("200");
  await expect(addPartner(b, old)).rejects.toThrow(/already/);
});

test("an address that another cell has given since is refused in words", async () => {
  const email = newEmail();
  await addPartner(a, email);
  await expect(addPartner(b, email)).rejects.toThrow(`There is a partner ${email} in another cell already`);
});

describe("a machine token", () => {
  const machine = async (cell: TestCell, email: string): Promise<string> => {
    const body = { grant_type: "client_credentials", client_credentials_data: { scope: "transport" } };
    const { json } = await post(cell, email, body);
    return (json as { data: { access_token: string } }).data.access_token;
  };
  const exchange = (cell: TestCell, email: string, token: string, accountId: number) =>
    post(cell, email, {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      token_exchange_data: {
        subject_token: token,
        subject_token_type: "urn:trunkline:oauth:token-type:machine_token",
        requested_subject: String(accountId),
        scope: "transport",
      },
    });

  test("of one cell gives tokens for an account of another, which either cell is asked for", async () => {
    const { partner } = await addPartner(a);
    await upkeep(b);
    const headers = { authorization: basic(partner.email, PASSWORD) };
    const made = await call(b.node, "POST", "/v2/accounts", { headers, body: ACCOUNT });
    const { account_id: id } = (made.json as { data: { account: { account_id: number } } }).data.account;
    await upkeep(b);
    const token = await machine(a, partner.email);
    for (const cell of [b, a]) {
      const { status, json } = await exchange(cell, partner.email, token, id);
      expect(status).toBe(200);
      const { data } = json as { data: { access_token: string } };
      expect((await call(b.node, "GET", "/v2/channels", { token: data.access_token })).status).toBe(200);
    }
    expect((await call(a.node, "GET", `/v2/accounts/${id}`, { headers })).status).toBe(200);
    await call(a.node, "POST", "/v2/oauth/revoke", { headers, body: { token } });
    expect(outcome(await exchange(b, partner.email, token, id))).toBe("400 INVALID_GRANT");
  });
});

describe("while the directory is away", () => {
  beforeAll(() => shared.line.cut());
  afterAll(async () => {
    await shared.line.restore();
    for (const { directory } of [a, b]) await directory.untilBack(AbortSignal.timeout(60_000));
  });

  test("partners get in for a day, and changes are refused with Retry-After", async () => {
    const email = newEmail();
    await createPartner(a.node.db, { email, name: "Known", password: PASSWORD }, null);
    expect(await entry(a, email)).toBe("200");
    const refusal = await addPartner(a).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ code: "UNAVAILABLE", status: 503, retryAfter: 10 });
    expect(String(refusal)).toMatch(/directory of this installation cannot be reached.*Nothing was changed/);
    const fact = "directory_partners_seen";
    const [seen] = await a.node.db.query<{ value: string }>("select value from installation where key = $1", [
      fact,
    ]);
    const set = (value: string | undefined) =>
      a.node.db.query("update installation set value = $2 where key = $1", [fact, value]);
    await set(new Date(Date.now() - 25 * 3_600_000).toISOString());
    expect(await entry(a, email)).toBe("503 UNAVAILABLE");
    await set(seen?.value);
    expect(await entry(a, email)).toBe("200");
  });
});

describe("a move", () => {
  const KEY = { fingerprint: "0123456789abcdef", derivation: "derived" };
  const cellOf = ({ node: { db } }: TestCell): Cell => ({ db, ...KEY });
  const move = (accountId: number, directory: Directory | null = b.directory) =>
    moveAccount({
      ...{ accountId, source: cellOf(a), target: cellOf(b), address: b.node.url, files: null, directory },
      progress: () => undefined,
    });

  /** With tokens of an application. */
  async function addAccount(): Promise<{ id: number; email: string; clientId: string; pair: TokenPair }> {
    const { partner, clientId } = await addPartner(a);
    const headers = { authorization: basic(partner.email, PASSWORD) };
    const made = await call(a.node, "POST", "/v2/accounts", { headers, body: ACCOUNT });
    const { data } = made.json as { data: { account: { account_id: number } } };
    const { account_id: id } = data.account;
    const facts = { partnerId: partner.id, accountId: id, clientId, scope: ["transport"] as const };
    return {
      id,
      email: partner.email,
      clientId,
      pair: await a.node.db.tx((tx) => startGrant(tx, facts, mintFor(a.node.core, null))),
    };
  }
  const channels = ({ node }: TestCell, token: string) => call(node, "GET", "/v2/channels", { token });
  const cellIn = async (id: number): Promise<string | undefined> => {
    const [row] = await shared.db.query<{ cell: string }>("select cell from accounts where id = $1", [id]);
    return row?.cell;
  };

  test("takes an account with its partner's tokens along, and the directory knows its cell", async () => {
    const { id, email, clientId, pair } = await addAccount();
    await upkeep(a);
    expect(await cellIn(id)).toBe("a");
    await upkeep(b);
    await move(id);
    expect(await cellIn(id)).toBe("b");
    for (const cell of [a, b]) expect((await channels(cell, pair.accessToken)).status).toBe(200);
    // Through the cell that it has left, too.
    const refresh = (cell: TestCell, token: string) =>
      post(cell, email, {
        grant_type: "refresh_token",
        refresh_token_data: { refresh_token: token, client_id: clientId },
      });
    const next = await refresh(a, pair.refreshToken);
    expect(next.status).toBe(200);
    const { data } = next.json as { data: { access_token: string } };
    expect((await channels(b, data.access_token)).status).toBe(200);
    const headers = { authorization: basic(email, PASSWORD) };
    for (const { node } of [a, b])
      expect((await call(node, "GET", `/v2/accounts/${id}`, { headers })).status).toBe(200);
  });

  test("a token is revoked through the cell that the account has left", async () => {
    const { id, email, pair } = await addAccount();
    await upkeep(a);
    await upkeep(b);
    await move(id);
    const headers = { authorization: basic(email, PASSWORD) };
    const body = { token: pair.accessToken };
    expect((await call(a.node, "POST", "/v2/oauth/revoke", { headers, body })).status).toBe(200);
    for (const cell of [a, b]) expect((await channels(cell, pair.accessToken)).status).toBe(401);
  });

  test("is refused without a directory, to a cell that does not know the partner, and to one that it does not know", async () => {
    const { id } = await addAccount();
    await upkeep(a);
    await expect(move(id, null)).rejects.toThrow(/belongs to a partner/);
    await expect(move(id)).rejects.toThrow(/does not know a partner of account/);
    await expect(move(id, shared.open("c"))).rejects.toThrow(/is not the cell "c" that the directory knows/);
    await upkeep(b);
    await move(id);
    expect(await cellIn(id)).toBe("b");
  });

  test("ends without the directory once it has begun; the target lists the account later", async () => {
    const { id } = await addAccount();
    await upkeep(a);
    await upkeep(b);
    const lines: string[] = [];
    let isCut = false;
    const begun = moveAccount({
      ...{ accountId: id, source: cellOf(a), target: cellOf(b), address: b.node.url, files: null },
      directory: b.directory,
      progress: (line) => void lines.push(line),
      // The first line follows the check.
      source: {
        ...cellOf(a),
        db: {
          ...a.node.db,
          session: async (work) =>
            a.node.db.session(async (session) => {
              if (lines.length > 0 && !isCut) {
                isCut = true;
                await shared.line.cut();
              }
              return work(session);
            }),
        },
      },
    });
    await begun;
    expect(await cellIn(id)).toBe("a");
    await shared.line.restore();
    await b.directory.untilBack(AbortSignal.timeout(60_000));
    await upkeep(a);
    await upkeep(b);
    expect(await cellIn(id)).toBe("b");
  });
});
