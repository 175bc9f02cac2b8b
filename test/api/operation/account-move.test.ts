import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endRestrictions } from "../../../src/core/channel/restriction.ts";
import { reclaimCursors } from "../../../src/core/delivery/cursor/cursors.ts";
import { countWaiting } from "../../../src/core/delivery/cursor/waiting.ts";
import { dropSink, useSink } from "../../../src/core/delivery/sink/sink.ts";
import { endSnoozes } from "../../../src/core/inbox/work.ts";
import { failOrphanedJobs } from "../../../src/core/message/orphaned-jobs.ts";
import { indexForSearch } from "../../../src/core/message/search-index.ts";
import { type Cell, type MoveOptions, moveAccount, revokeMove } from "../../../src/core/move/move.ts";
import { followChanges, hold } from "../../../src/core/move/source.ts";
import { accountTables } from "../../../src/core/move/tables.ts";
import { beginAtTarget, clearTarget } from "../../../src/core/move/target.ts";
import { endOldPhoneChecks } from "../../../src/core/phone/lookups.ts";
import type { Database, Queryable } from "../../../src/database/database.ts";
import { createFileStore, type FileStore } from "../../../src/platform/file/files.ts";
import { newId, newSecret } from "../../../src/platform/ids.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { call, outcome } from "../kit/call.ts";
import {
  addAccount,
  addChannel,
  addToken,
  startNode,
  type TestAccount,
  type TestNode,
} from "../kit/service.ts";

let directory: string;
let databases: [TestDatabase, TestDatabase];
let stores: [FileStore, FileStore];
let here: TestNode;
let there: TestNode;
let account: TestAccount;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "trunkline-move-"));
  databases = [await startTestDatabase(), await startTestDatabase()];
  stores = [
    createFileStore({ directory: join(directory, "a") }),
    createFileStore({ directory: join(directory, "b") }),
  ];
  here = await startNode({ database: databases[0], files: stores[0] });
  there = await startNode({ database: databases[1], files: stores[1] });
});
beforeEach(async () => {
  account = await addAccount(here.db);
});
afterAll(async () => {
  await here.stop();
  await there.stop();
  for (const database of databases) await database.stop();
  rmSync(directory, { recursive: true, force: true });
});

const KEY = { fingerprint: "0123456789abcdef", derivation: "derived" };
const cellOf = ({ db }: TestNode): Cell => ({ db, ...KEY });

function optionsFor(more: Partial<MoveOptions> = {}): MoveOptions {
  return {
    accountId: account.id,
    source: cellOf(here),
    target: cellOf(there),
    address: there.url,
    files: { from: stores[0], to: stores[1] },
    progress: () => undefined,
    ...more,
  };
}

const move = (more: Partial<MoveOptions> = {}) => moveAccount(optionsFor(more));
const moveBack = () =>
  move({
    source: cellOf(there),
    target: cellOf(here),
    address: here.url,
    files: { from: stores[1], to: stores[0] },
  });

/** Every row of the account, by table, as text; without what belongs to a cell. */
async function rowsOf(db: Database, accountId: number): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { name, owner, isRenumbered } of await accountTables(db)) {
    // The log gets its own entry of the move, and its rows get other ids.
    const rows = await db.query<{ row: string }>(
      `select (to_jsonb(t) ${isRenumbered ? "- 'id'" : ""})::text as row from ${name} t
       where ${owner} = $1 ${name === "audit_log" ? "and action not like 'account.move%'" : ""} order by 1`,
      [accountId],
    );
    // The epoch grows with each owner, the moves with each move, and the last use of a token is written late.
    const texts = rows.map(({ row }) =>
      row
        .replace(/"epoch": \d+/, '"epoch"')
        .replace(/"moves": \d+/, '"moves"')
        .replace(/"last_used_at": [^,}]*/, '"last_used_at"'),
    );
    if (texts.length > 0) found[name] = texts;
  }
  return found;
}

interface Filled {
  readonly channelId: string;
  readonly fileKey: string;
  readonly page: string;
}

/** An account with rows in many tables. */
async function fill(): Promise<Filled> {
  const access = { token: account.access };
  const channelId = await addChannel(here, account, { transport: "telegram" });
  await here.db.query(
    "insert into contacts (account_id, id, responsible_user_id, name) select $1, 'c' || n, '7', 'C' from generate_series(1, 20) n",
    [account.id],
  );
  await here.db.query(
    "insert into contact_chats (account_id, contact_id, position, chat_type, chat_id) select $1, 'c' || n, 0, 'telegram', n::text from generate_series(1, 20) n",
    [account.id],
  );
  await here.db.query(
    "insert into canned_answers (account_id, id, name, name_key, text) values ($1, gen_random_uuid(), 'A', 'a', 'text')",
    [account.id],
  );
  const chats = Array.from({ length: 3 }, () => newId());
  for (const chat of chats) {
    await here.db.query(
      "insert into chats (account_id, id, channel_id, chat_type, chat_id, name) values ($1, $2::uuid, $3, 'telegram', $2::text, 'Anna')",
      [account.id, chat, channelId],
    );
    await here.db.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at, external_id, content)
       select $1, gen_random_uuid(), $2, $3, 'in', 'text', 'inbound', 'message ' || n || ' "quoted" \\ ünï', now(), n::text, '{"a": [1, null]}'
       from generate_series(1, 700) n`,
      [account.id, channelId, chat],
    );
    await here.db.query(
      "insert into send_jobs (account_id, channel_id, chat, message_id, kind) values ($1, $2, $3, gen_random_uuid(), 'send')",
      [account.id, channelId, chat],
    );
  }
  await here.db.query(
    "insert into message_reactions (account_id, message_id, person, name, emoji, at) select account_id, id, 'p', 'P', '👍', now() from messages where account_id = $1 limit 50",
    [account.id],
  );
  await here.db.query(
    "insert into channel_vault (account_id, channel_id, family, id, value) select $1, $2, 'keys', 'Id ' || n, decode('00ff10', 'hex') from generate_series(1, 900) n",
    [account.id, channelId],
  );
  await here.db.query(
    "insert into events (account_id, kind, subject, body) select $1, 'messages', n::text, '{}' from generate_series(1, 30) n",
    [account.id],
  );
  await here.db.query(
    "insert into search_queue (account_id, message_id) select account_id, id from messages where account_id = $1 limit 5",
    [account.id],
  );
  const fileKey = newSecret();
  const fileId = newId();
  await stores[0].put(fileId, Readable.from([Buffer.from("the content")]), { maxBytes: 100 });
  await here.db.query(
    `insert into files (account_id, id, channel_id, key, name, mime_type, size, state, source)
     values ($1, $2, $3, $4, 'a.txt', 'text/plain', 11, 'stored', '{}')`,
    [account.id, fileId, channelId, fileKey],
  );
  const link = await call(here, "POST", "/v2/iframe-links/channels", { ...access, body: {} });
  const { data } = link.json as { data: { link: string } };
  return { channelId, fileKey, page: new URL(data.link).searchParams.get("ticket") ?? "" };
}

const isThere = async (): Promise<boolean> =>
  (await there.db.query("select 1 from accounts where id = $1", [account.id])).length > 0;
const channelsAt = (node: TestNode, headers: Readonly<Record<string, string>> = {}) =>
  call(node, "GET", "/v2/channels", { token: account.access, headers });

describe("a move", () => {
  test("brings every row to the target, leaves none, and disturbs no other account", async () => {
    await fill();
    const neighbour = await addAccount(here.db);
    await addChannel(here, neighbour, { transport: "telegram" });
    const [before, other] = [await rowsOf(here.db, account.id), await rowsOf(here.db, neighbour.id)];
    expect(Object.keys(before).length).toBeGreaterThan(14);

    expect((await move()).pausedMs).toBeGreaterThanOrEqual(0);

    expect(await rowsOf(there.db, account.id)).toEqual(before);
    expect(await rowsOf(here.db, account.id)).toEqual({});
    expect(await rowsOf(here.db, neighbour.id)).toEqual(other);
    expect(await here.db.query("select 1 from pg_trigger where tgname like 'account_move%'")).toEqual([]);
    // Ids that the target gives are above those that the account has.
    const [ids] = await there.db.query<{ above: boolean }>(
      "select nextval('log_ids') > max(id) as above from events where account_id = $1",
      [account.id],
    );
    expect(ids?.above).toBe(true);

    await moveBack();
    expect(await rowsOf(here.db, account.id)).toEqual(before);
    expect(await isThere()).toBe(false);
  });

  test("takes with it what changes while it copies", async () => {
    const { channelId } = await fill();
    const change = async (round: number): Promise<void> => {
      const [chat] = await here.db.query<{ id: string }>(
        "select id from chats where account_id = $1 limit 1",
        [account.id],
      );
      await here.db.query(
        `update messages set text = 'changed ' || $2 where (account_id, id) in (
           select account_id, id from messages where account_id = $1 order by id limit 20)`,
        [account.id, round],
      );
      await here.db.query(
        "delete from messages where (account_id, id) in (select account_id, id from messages where account_id = $1 order by id desc limit 10)",
        [account.id],
      );
      // Another chat takes the messenger's id of the first one.
      await here.db.query("delete from chats where account_id = $1 and id = $2", [account.id, chat?.id]);
      await here.db.query(
        "insert into chats (account_id, id, channel_id, chat_type, chat_id, name) values ($1, $2::uuid, $3, 'telegram', $4, 'B')",
        [account.id, newId(), channelId, `${chat?.id} ${round}`],
      );
      await here.db
        .query("update contacts set id = id || 'x' where account_id = $1 and id = 'c1'", [account.id])
        .catch(() => undefined);
      await here.db.query("update channel_vault set value = '\\x01' where account_id = $1 and id like '%1'", [
        account.id,
      ]);
    };
    // Each line of the progress follows a copied table; the change races the next ones.
    const changes: Promise<void>[] = [];
    const progress = (): void => void (changes.length < 4 && changes.push(change(changes.length)));
    let expected: Record<string, string[]> | undefined;
    const source = cellOf(here);
    // The rows as they are when nothing can be written any more.
    const watched: Cell = {
      ...source,
      db: {
        ...source.db,
        session: (work) =>
          source.db.session((session) =>
            work({
              async query(statement, values) {
                if (String(statement).startsWith("begin")) {
                  await Promise.all(changes);
                  const [fenced] = await here.db.query(
                    "select 1 from account_moves where account_id = $1 and side = 'source' and state = 'fenced'",
                    [account.id],
                  );
                  if (fenced !== undefined) expected = await rowsOf(here.db, account.id);
                }
                return session.query(statement, values);
              },
            }),
          ),
      },
    };
    await move({ source: watched, progress });
    expect(changes.length).toBe(4);
    const arrived = await rowsOf(there.db, account.id);
    expect(arrived).toEqual(expected);
    expect(arrived["messages"]?.some((row) => row.includes("changed 3"))).toBe(true);
  });

  test.each([1, 2, 3, 5, 8])("that ends at its step %i continues when it is repeated", async (step) => {
    await fill();
    const before = await rowsOf(here.db, account.id);
    let steps = 0;
    const progress = (): void => {
      if (++steps === step) throw new Error("killed");
    };
    await move({ progress }).catch(() => undefined);
    await move();
    expect(await rowsOf(there.db, account.id)).toEqual(before);
    expect(await rowsOf(here.db, account.id)).toEqual({});
    // Once more: nothing is left to do.
    expect((await move()).pausedMs).toBeNull();
  });

  test("that is revoked leaves nothing at the target, and can be begun again", async () => {
    await fill();
    const before = await rowsOf(here.db, account.id);
    let steps = 0;
    const progress = (): void => {
      if (++steps === 4) throw new Error("killed");
    };
    await expect(move({ progress })).rejects.toThrow("killed");
    expect(await isThere()).toBe(true);
    await revokeMove(optionsFor());
    expect(await rowsOf(there.db, account.id)).toEqual({});
    expect(await rowsOf(here.db, account.id)).toEqual(before);
    expect(await here.db.query("select 1 from pg_trigger where tgname like 'account_move%'")).toEqual([]);
    expect(
      await here.db.query("select 1 from account_move_changes where account_id = $1", [account.id]),
    ).toEqual([]);
    await expect(revokeMove(optionsFor())).rejects.toThrow(/no move/);
    await move();
    expect(await rowsOf(there.db, account.id)).toEqual(before);
    await expect(revokeMove(optionsFor())).rejects.toThrow(/already moved/);
  });

  test.each(["copying", "fenced"])(
    "that is %s is not revoked at a cell that has no part in it",
    async (state) => {
      await fill();
      const killed = (line: string): void => {
        if (line.startsWith("messages:")) throw new Error("killed");
      };
      await expect(move({ progress: killed })).rejects.toThrow("killed");
      await here.db.query("update account_moves set state = $2 where account_id = $1", [account.id, state]);
      await expect(revokeMove({ ...optionsFor(), target: cellOf(here) })).rejects.toThrow(
        `moves to the cell at ${there.url}: name that one`,
      );
      const [right] = await there.db.query<{ id: string }>(
        "select move_id as id from account_moves where account_id = $1",
        [account.id],
      );
      const takePartIn = (moveId: string | undefined) =>
        there.db.query("update account_moves set move_id = $2 where account_id = $1", [account.id, moveId]);
      await takePartIn(newId());
      await expect(revokeMove({ ...optionsFor(), address: null })).rejects.toThrow(
        `moves to the cell at ${there.url}, and the target knows nothing`,
      );
      await takePartIn(right?.id);
      const stateAt = async ({ db }: TestNode) =>
        (
          await db.query<{ state: string }>("select state from account_moves where account_id = $1", [
            account.id,
          ])
        ).map((row) => row.state);
      expect([await stateAt(here), await stateAt(there)]).toEqual([[state], ["arriving"]]);
      await revokeMove({ ...optionsFor(), address: null });
      expect([await stateAt(here), await stateAt(there)]).toEqual([[], []]);
      expect((await channelsAt(here)).status).toBe(200);
    },
  );

  test("is not revoked by a cell that does not have the account", async () => {
    await fill();
    await expect(
      move({
        progress: () => {
          throw new Error("killed");
        },
      }),
    ).rejects.toThrow("killed");
    const third = { ...optionsFor(), source: cellOf(there), target: cellOf(there) };
    await there.db.query("delete from accounts where id = $1", [account.id]);
    await expect(revokeMove(third)).rejects.toThrow(/no account/);
    await revokeMove(optionsFor());
  });

  test("that is over is repeated: the command looks whether the target has the account", async () => {
    await fill();
    await move();
    const lines: string[] = [];
    const addressOf = async () =>
      (
        await here.db.query<{ address: string }>("select address from account_moves where account_id = $1", [
          account.id,
        ])
      )[0]?.address;
    await move({ progress: (line) => lines.push(line) });
    expect(lines).toEqual([
      `nothing is left to do: account ${account.id} left this cell before, and the target has it`,
    ]);
    // Its nodes are reached elsewhere by now.
    await move({ address: "http://another.example" });
    expect(await addressOf()).toBe("http://another.example");
    await move();
    expect(await addressOf()).toBe(there.url);
    await expect.poll(async () => (await channelsAt(here)).status).toBe(200);

    const forgets = "delete from account_moves where account_id = $1 and side = 'target'";
    await there.db.query(forgets, [account.id]);
    await expect(move({ address: "http://another.example" })).rejects.toThrow(
      `left this cell for ${there.url}, and the target does not have it`,
    );
    expect(await addressOf()).toBe(there.url);
  });

  describe("whose switch the target has lost", () => {
    const lose = async (): Promise<void> => {
      await there.db.query(
        "update account_moves set state = 'arriving' where account_id = $1 and side = 'target'",
        [account.id],
      );
      for (const table of ["send_jobs", "tokens", "channels"])
        await there.db.query(`delete from ${table} where account_id = $1`, [account.id]);
    };
    const dieAfterSwitch = (line: string): void => {
      if (line.startsWith("the target has the account")) throw new Error("killed");
    };
    let before: Record<string, string[]>;
    beforeEach(async () => {
      await fill();
      before = await rowsOf(here.db, account.id);
    });

    test("stays at the source when it is repeated, and goes on there once it is revoked", async () => {
      await expect(move({ progress: dieAfterSwitch })).rejects.toThrow("killed");
      await expect(revokeMove(optionsFor())).rejects.toThrow(/already moved/);
      await lose();
      await expect(move()).rejects.toThrow(/target does not have account/);
      expect(await rowsOf(here.db, account.id)).toEqual(before);
      // As of a cell that has no part in it.
      await there.db.query("update account_moves set move_id = gen_random_uuid() where account_id = $1", [
        account.id,
      ]);
      await expect(revokeMove({ ...optionsFor(), address: null })).rejects.toThrow(
        `add --address ${there.url}`,
      );
      await revokeMove(optionsFor());
      expect(await rowsOf(there.db, account.id)).toEqual({});
      await expect.poll(async () => (await channelsAt(here)).status).toBe(200);
      await move();
      expect(await rowsOf(there.db, account.id)).toEqual(before);
    });

    test("stays at the source if that happens while the command runs", async () => {
      const { db } = there;
      const losing: Database = {
        ...db,
        async query(statement, values) {
          if (String(statement).includes("pg_stat_replication")) await lose();
          return db.query(statement, values);
        },
      };
      await expect(move({ target: { ...cellOf(there), db: losing } })).rejects.toThrow(
        /target does not have account/,
      );
      expect(await rowsOf(here.db, account.id)).toEqual(before);
    });

    test("is not revoked once the source removes its rows", async () => {
      await expect(move({ progress: dieAfterSwitch })).rejects.toThrow("killed");
      const { db } = here;
      const dying: Database = {
        ...db,
        async tx(work) {
          const result = await db.tx(work);
          const [left] = await db.query("select 1 from channels where account_id = $1", [account.id]);
          if (left === undefined) throw new Error("killed");
          return result;
        },
      };
      await expect(move({ source: { ...cellOf(here), db: dying } })).rejects.toThrow("killed");
      await lose();
      for (const again of [() => move(), () => revokeMove(optionsFor())])
        await expect(again()).rejects.toThrow(/begun to remove its rows/);
    });
  });

  test("that has begun does not go on to another cell", async () => {
    await fill();
    const killed = (line: string): void => {
      if (line.startsWith("messages:")) throw new Error("killed");
    };
    await expect(move({ progress: killed })).rejects.toThrow("killed");
    const elsewhere = { address: "http://another.example" };
    // One that knows nothing of it, and one that has a part of a revoked move.
    await clearTarget(there.db, account.id);
    await expect(move(elsewhere)).rejects.toThrow(/is not finished/);
    await beginAtTarget(there.db, account.id, newId());
    await expect(move(elsewhere)).rejects.toThrow(/is not finished/);
    await clearTarget(there.db, account.id);
    const before = await rowsOf(here.db, account.id);
    await move();
    expect(await rowsOf(there.db, account.id)).toEqual(before);
  });

  describe("whose command ends between its beginnings in the two cells", () => {
    beforeEach(async () => {
      await fill();
      let beginnings = 0;
      const endsAfterOne = (cell: Cell): Cell => {
        const guarded = (query: Queryable["query"]): Queryable["query"] => {
          return (statement, values) => {
            if (String(statement).startsWith("insert into account_moves") && ++beginnings === 2)
              throw new Error("killed");
            return query(statement, values);
          };
        };
        const { db } = cell;
        const guardedTx: Database["tx"] = (work) =>
          db.tx((tx) => work({ ...tx, query: guarded(tx.query.bind(tx)) }));
        return { ...cell, db: { ...db, query: guarded(db.query.bind(db)), tx: guardedTx } };
      };
      const ends = { source: endsAfterOne(cellOf(here)), target: endsAfterOne(cellOf(there)) };
      await expect(move(ends)).rejects.toThrow("killed");
      expect(beginnings).toBe(2);
    });

    test("begins anew when it is repeated, also with another address", async () => {
      const before = await rowsOf(here.db, account.id);
      await move({ address: `${there.url}/another` });
      expect(await rowsOf(there.db, account.id)).toEqual(before);
    });

    test("is revoked without its address", async () => {
      await revokeMove({ ...optionsFor(), address: null });
      for (const { db } of [here, there])
        expect(await db.query("select 1 from account_moves where account_id = $1", [account.id])).toEqual([]);
    });
  });

  test("is refused with a reason, and the account goes on", async () => {
    const other = cellOf(there);
    const refused = (more: Partial<MoveOptions>, reason: RegExp) =>
      expect(move(more)).rejects.toThrow(reason);
    await refused({ target: { ...other, fingerprint: "fedcba9876543210" } }, /different SECRET_KEYs/);
    await refused({ target: { ...other, derivation: "another" } }, /key adopt/);
    await refused({ target: cellOf(here) }, /same database/);
    await refused({ accountId: 99_999_999 }, /no account 99999999/);
    await there.db.query("insert into accounts (id, name) values ($1, 'Namesake')", [account.id]);
    await refused({}, /target already has an account/);
    await there.db.query("delete from accounts where id = $1", [account.id]);

    const channelId = await addChannel(here, account, { transport: "telegram" });
    const rival = await addAccount(there.db);
    const theirs = await addChannel(there, rival, { transport: "telegram" });
    const link = (db: Database, id: string) =>
      db.query("update channels set messenger_id = $2 where id = $1", [id, `bot ${account.id}`]);
    await link(here.db, channelId);
    await link(there.db, theirs);
    await refused({}, /same messenger account/);
    expect((await channelsAt(here)).status).toBe(200);
    await there.db.query("update channels set messenger_id = null where id = $1", [theirs]);

    await here.db.query(
      "insert into partners (id, email, name, password) values (100000001, 'p@example.org', 'P', '') on conflict do nothing",
    );
    await here.db.query("update accounts set partner_id = 100000001 where id = $1", [account.id]);
    await refused({}, /belongs to a partner/);
    await here.db.query("update accounts set partner_id = null where id = $1", [account.id]);
    await move();
    await moveBack();
  });

  test("lets the account go on when the switch fails", async () => {
    await fill();
    // Something that no check foresees.
    await there.db.query(
      `alter table send_jobs add constraint refuses check (account_id <> ${account.id}) not valid`,
    );
    await expect(move()).rejects.toThrow(/refuses/);
    await there.db.query("alter table send_jobs drop constraint refuses");
    expect((await channelsAt(here)).status).toBe(200);
    const before = await rowsOf(here.db, account.id);
    await move();
    expect(await rowsOf(there.db, account.id)).toEqual(before);
  });

  /** A row that was copied is missing, as in a promoted standby. */
  const failOver = async ({ db }: TestNode): Promise<void> => {
    await db.query("update account_moves set timeline = '00000000' where account_id = $1", [account.id]);
    await db.query("alter table messages disable trigger user");
    await db.query(
      "delete from messages where (account_id, id) in (select account_id, id from messages where account_id = $1 order by id limit 1)",
      [account.id],
    );
    await db.query("alter table messages enable trigger user");
  };

  test.each(["source", "target"])("starts over if the %s has failed over meanwhile", async (end) => {
    await fill();
    const killed = (line: string): void => {
      if (line.startsWith("messages:")) throw new Error("killed");
    };
    await expect(move({ progress: killed })).rejects.toThrow("killed");
    await failOver(end === "source" ? here : there);
    const before = await rowsOf(here.db, account.id);
    const lines: string[] = [];
    await move({ progress: (line) => lines.push(line) });
    expect(lines.join()).toContain(`the ${end} has failed over; the copy starts over`);
    expect(await rowsOf(there.db, account.id)).toEqual(before);
  });

  test("makes no switch if the target has failed over since the copy", async () => {
    await fill();
    const before = await rowsOf(here.db, account.id);
    let isLost = false;
    const { db } = there;
    const target: Database = {
      ...db,
      async query(statement, values) {
        // The check of collisions, just before the switch.
        if (!isLost && String(statement).includes("r(transport text, messenger_id text)")) {
          isLost = true;
          await failOver(there);
        }
        return db.query(statement, values);
      },
    };
    await expect(move({ target: { ...cellOf(there), db: target } })).rejects.toThrow(
      /target has failed over/,
    );
    expect((await channelsAt(here)).status).toBe(200);
    await move();
    expect(await rowsOf(there.db, account.id)).toEqual(before);
  });
});

describe("a move while cells have a sink", () => {
  const KINDS = ["messages"];
  const sinkAt = (node: TestNode, host: string) =>
    useSink(node.db, { url: `nats://${host}:4222 (trunkline)`, kinds: KINDS });
  const endSinks = () => Promise.all([here, there].map(({ db }) => dropSink(db)));
  /** The account's receiver of the sink, and how many events wait for it. */
  const sinkOf = ({ db }: TestNode) =>
    db.query(
      `select e.url, e.kinds, ${countWaiting("c")}::int as waiting from webhook_endpoints e
       join webhook_cursors c on c.endpoint_id = e.id where e.account_id = $1 and e.version = 'sink'`,
      [account.id],
    );
  const addEvents = ({ db }: TestNode, count: number) =>
    db.query(
      `insert into events (account_id, kind, subject, body, receivers)
       select $1, 'messages', n::text, '{}', array(select id from webhook_endpoints where account_id = $1 and version = 'sink')
       from generate_series(1, $2::int) n`,
      [account.id, count],
    );
  afterEach(endSinks);

  test("takes the waiting events along, for the sink of the target", async () => {
    await Promise.all([sinkAt(here, "here"), sinkAt(there, "there")]);
    await addEvents(here, 3);
    const [row] = await sinkOf(here);
    expect(row).toEqual({ url: "nats://here:4222 (trunkline)", kinds: KINDS, waiting: 3 });
    await move();
    expect(await sinkOf(there)).toEqual([{ ...row, url: "nats://there:4222 (trunkline)" }]);
    expect(await sinkOf(here)).toEqual([]);
    await addEvents(there, 2);
    expect(await sinkOf(there)).toMatchObject([{ waiting: 5 }]);
    await moveBack();
    expect(await sinkOf(here)).toEqual([{ ...row, waiting: 5 }]);
  });

  test("does not keep a node from starting with a sink, nor the sink from being dropped", async () => {
    await fill();
    const killed = (line: string): void => {
      if (line.startsWith("messages:")) throw new Error("killed");
    };
    await expect(move({ progress: killed })).rejects.toThrow("killed");
    await here.db.query("update account_moves set state = 'fenced' where account_id = $1", [account.id]);
    await sinkAt(here, "here");
    expect(await sinkOf(here)).toEqual([{ url: "nats://here:4222 (trunkline)", kinds: KINDS, waiting: 0 }]);
    await dropSink(here.db);
    expect(await sinkOf(here)).toEqual([]);
    await sinkAt(here, "another");
    await revokeMove({ ...optionsFor(), address: null });
    await addEvents(here, 1);
    expect(await sinkOf(here)).toMatchObject([{ url: "nats://another:4222 (trunkline)", waiting: 1 }]);
  });

  test("to a cell that has one, begins with the events from then on; to one without, ends it", async () => {
    await sinkAt(there, "there");
    await addEvents(here, 3);
    await move();
    expect(await sinkOf(there)).toMatchObject([{ waiting: 0 }]);
    await addEvents(there, 2);
    expect(await sinkOf(there)).toMatchObject([{ waiting: 2 }]);
    await moveBack();
    expect(await sinkOf(here)).toEqual([]);
    const cursors = "select 1 from webhook_cursors where account_id = $1";
    expect(await here.db.query(cursors, [account.id])).toEqual([]);
  });
});

describe("after a move, the old cell passes on", () => {
  let filled: Filled;
  beforeEach(async () => {
    filled = await fill();
  });

  test("requests with the account's tokens, pages, files and calls of messengers; no others", async () => {
    const opened = await call(here, "POST", "/app/api/sessions", { body: { ticket: filled.page } });
    const { token } = opened.json as { token: string };
    const second = await call(here, "POST", "/v2/iframe-links/channels", { token: account.access, body: {} });
    const link = new URL((second.json as { data: { link: string } }).data.link);
    await move();

    const listed = await channelsAt(here);
    expect(listed.status).toBe(200);
    expect(listed.text).toContain(filled.channelId);
    const body = { webhooksUri: "", subscriptions: {} };
    expect((await call(here, "GET", "/v3/channels", { token: account.api })).text).toContain(
      filled.channelId,
    );
    // With a body; it takes effect in the other cell.
    const answer = await call(here, "PATCH", "/v3/webhooks", { token: account.api, body });
    expect(outcome(answer)).toBe(
      outcome(await call(there, "PATCH", "/v3/webhooks", { token: account.api, body })),
    );

    expect((await call(here, "GET", `/files/${filled.fileKey}/a.txt`)).text).toBe("the content");
    const range = await call(here, "GET", `/files/${filled.fileKey}`, { headers: { range: "bytes=4-6" } });
    expect(range.text).toBe("con");
    expect(range.status).toBe(206);

    expect((await call(here, "GET", "/app/api/transports", { token })).status).toBe(
      (await call(there, "GET", "/app/api/transports", { token })).status,
    );
    const ticket = link.searchParams.get("ticket") ?? "";
    expect((await call(here, "POST", "/app/api/sessions", { body: { ticket } })).status).toBe(200);

    const callback = await call(here, "POST", `/in/telegram/${filled.channelId}`, { body: { update_id: 1 } });
    expect(callback.status).toBe(
      (await call(there, "POST", `/in/telegram/${filled.channelId}`, { body: { update_id: 1 } })).status,
    );
    expect(callback.status).not.toBe(404);

    expect((await call(here, "GET", "/v2/channels", { token: newSecret() })).status).toBe(401);
    expect((await call(here, "GET", `/files/${newSecret()}`)).status).toBe(404);
    expect((await call(here, "POST", `/in/telegram/${newId()}`, { body: {} })).status).toBe(404);
  });

  test("also what belongs to an account that has moved on", async () => {
    const database = await startTestDatabase();
    const third = await startNode({ database, files: stores[1] });
    try {
      await move();
      const onTheWay = await addToken(there.db, account.id, "access");
      await move({ source: cellOf(there), target: cellOf(third), address: third.url, files: null });
      await expect(move()).rejects.toThrow(`moved on to ${third.url}`);
      expect((await channelsAt(here)).status).toBe(200);
      for (const node of [there, third])
        expect((await call(node, "GET", "/v2/channels", { token: onTheWay })).status).toBe(200);
      const link = await call(here, "POST", "/v2/iframe-links/channels", { token: account.access, body: {} });
      const ticket = new URL((link.json as { data: { link: string } }).data.link).searchParams.get("ticket");
      expect((await call(third, "POST", "/app/api/sessions", { body: { ticket } })).status).toBe(200);
    } finally {
      await third.stop();
      await database.stop();
    }
  });

  test.each([
    ["0", "200"],
    ["2", "200"],
    ["3", "503 UNAVAILABLE"],
    ["9", "503 UNAVAILABLE"],
    ["1000", "503 UNAVAILABLE"],
    ["00", "503 UNAVAILABLE"],
    ["01", "503 UNAVAILABLE"],
    ["-1", "503 UNAVAILABLE"],
  ])("nothing after too many cells, or a number that no cell writes: %s", async (count, expected) => {
    await move();
    expect(outcome(await channelsAt(here, { "x-trunkline-hops": count }))).toBe(expected);
  });

  test("nothing in a circle", async () => {
    await move();
    // The cells disagree: each says that the other has it.
    await there.db.query("delete from tokens where account_id = $1", [account.id]);
    await there.db.query(
      "insert into moved_addresses (kind, key, account_id) select kind, key, account_id from json_populate_recordset(null::moved_addresses, $1::json)",
      [
        JSON.stringify(
          await here.db.query("select kind, key, account_id from moved_addresses where account_id = $1", [
            account.id,
          ]),
        ),
      ],
    );
    await there.db.query(
      "insert into account_moves (account_id, side, move_id, state, address) values ($1, 'source', gen_random_uuid(), 'left', $2)",
      [account.id, here.url],
    );
    there.core.signals.notify("moves");
    await expect.poll(async () => outcome(await channelsAt(here))).toBe("503 UNAVAILABLE");
    // A client cannot make it longer.
    for (const count of ["-9", "-Infinity", "0.5"])
      expect(outcome(await channelsAt(here, { "x-trunkline-hops": count }))).toBe("503 UNAVAILABLE");
  });
});

describe("while the account rests", () => {
  afterEach(async () => {
    await here.db.query("delete from account_moves where account_id = $1", [account.id]);
    here.core.signals.notify("moves");
  });
  const begin = async (): Promise<string> => {
    const moveId = newId();
    await here.db.query(
      "insert into account_moves (account_id, side, move_id, state, address) values ($1, 'source', $2, 'copying', $3)",
      [account.id, moveId, there.url],
    );
    return moveId;
  };

  test("a request waits, and is answered here if the move is revoked", async () => {
    await hold(here.db, account.id, await begin());
    await expect.poll(() => here.core.moves.isAway(account.id)).toBe(true);
    let isAnswered = false;
    const answer = channelsAt(here).finally(() => {
      isAnswered = true;
    });
    // Another account's request passes it.
    expect(
      (await call(here, "GET", "/v2/channels", { token: (await addAccount(here.db)).access })).status,
    ).toBe(200);
    expect(isAnswered).toBe(false);
    await here.db.query("delete from account_moves where account_id = $1", [account.id]);
    here.core.signals.notify("moves");
    expect((await answer).status).toBe(200);
  });

  test("that was interrupted at its fence keeps no other account from its upkeep", async () => {
    const neighbour = await addAccount(here.db);
    for (const one of [account, neighbour]) await addDue(one);
    await followChanges(here.db, account.id);
    const moveId = await begin();
    await here.db.query("update account_moves set state = 'fenced' where move_id = $1", [moveId]);
    const present = await dueOf(account.id);
    const upkeep = [
      () => endSnoozes(here.core, 100),
      () => indexForSearch(here.db, 100),
      () => reclaimCursors(here.db),
      () => endRestrictions(here.core, 100),
      () => endOldPhoneChecks(here.core, 100),
      () => failOrphanedJobs(here.core),
    ];
    for (const run of upkeep) await run();
    expect(Object.values(present)).toEqual(upkeep.map(() => 1));
    expect(Object.values(await dueOf(neighbour.id))).toEqual(upkeep.map(() => 0));
    expect(await dueOf(account.id)).toEqual(present);
  });

  test("what was under way is refused by the database, and passed on", async () => {
    await followChanges(here.db, account.id);
    const moveId = await begin();
    await here.db.query("update account_moves set state = 'fenced' where move_id = $1", [moveId]);
    const write = (db: Database) => db.query("update accounts set name = 'Late' where id = $1", [account.id]);
    await expect(write(here.db)).rejects.toMatchObject({ code: "TL001", detail: String(account.id) });
    const neighbour = await addAccount(here.db);
    await here.db.query("update accounts set name = 'Late' where id = $1", [neighbour.id]);
  });
});

/** Something that each upkeep for all accounts finds due. */
async function addDue(owner: TestAccount): Promise<void> {
  const channelId = await addChannel(here, owner, { transport: "telegram" });
  const [chat, message] = [newId(), newId()];
  const ofChannel = [owner.id, channelId];
  const add = (statement: string, ...more: readonly string[]) =>
    here.db.query(statement, [...ofChannel, ...more]);
  await add(
    `update channels set status = 'disabled', reason = 'blocked', restriction_ends_at = now(),
       restrictions = '[{"kind": "newChats", "reason": "limited", "since": "2026-01-01T00:00:00Z", "endsAt": "2026-01-02T00:00:00Z", "isEstimate": false}]'
     where account_id = $1 and id = $2`,
  );
  await add(
    `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at, content)
     values ($1, $4, $2, $3, 'out', 'text', 'queued', 'text', now(), '{}')`,
    ...[chat, message],
  );
  await add(
    "insert into send_jobs (account_id, channel_id, chat, message_id, kind) values ($1, $2, $3, $4, 'send')",
    ...[chat, message],
  );
  await add(
    "insert into chat_work (account_id, channel_id, chat, snoozed_at, snoozed_until) values ($1, $2, $3, now(), now())",
    chat,
  );
  await add(
    "insert into phone_checks (account_id, channel_id, phone, check_id, requested_at) values ($1, $2, '79100000001', $3, now() - interval '8 days')",
    newId(),
  );
  await here.db.query("insert into search_queue (account_id, message_id) values ($1, $2)", [
    owner.id,
    message,
  ]);
  await here.db.query(
    "insert into webhook_cursors (id, account_id, endpoint_id, position, claim) values ($1, $2, $3, 0, $4)",
    [newId(), owner.id, newId(), newId()],
  );
}

/** How much of it is left. */
async function dueOf(accountId: number): Promise<Readonly<Record<string, number>>> {
  const [row] = await here.db.query<Record<string, number>>(
    `select (select count(*)::int from chat_work where account_id = $1 and snoozed_until is not null) as snoozes,
       (select count(*)::int from search_queue where account_id = $1) as queued,
       (select count(*)::int from webhook_cursors where account_id = $1 and claim is not null) as claims,
       (select count(*)::int from channels where account_id = $1 and restrictions <> '[]') as restrictions,
       (select count(*)::int from phone_checks where account_id = $1) as checks,
       (select count(*)::int from send_jobs where account_id = $1) as jobs`,
    [accountId],
  );
  return row ?? {};
}

const LATE = [
  "account_usage",
  "app_bindings",
  "audit_log",
  "canned_answers",
  "channel_history",
  "channel_pacing",
  "channel_recordings",
  "channel_vault_writes",
  "channels",
  "client_creations",
  "connect_visits",
  "crm_settings",
  "crm_users",
  "forgotten_channels",
  "group_creations",
  "message_exports",
  "oauth_codes",
  "oauth_grants",
  "operator_links",
  "operators",
  "page_employees",
  "page_tickets",
  "phone_checks",
  "pipelines",
  "released_links",
  "search_queue",
  "send_jobs",
  "template_aliases",
  "templates",
  "tokens",
  "webhook_cursors",
  "webhook_endpoints",
  "webhook_notices",
  "webhook_replay_items",
  "webhook_replays",
  "webhook_subscriptions",
];

test("every table of an account is early or small", async () => {
  // A table that is not named in `EARLY` is copied while the account rests. If it can grow with the messages, contacts or
  // files of an account, name it there; otherwise here.
  const late = (await accountTables(here.db)).filter(({ isEarly }) => !isEarly).map(({ name }) => name);
  expect(late.toSorted()).toEqual(LATE);
});
