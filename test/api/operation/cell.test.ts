import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAccount } from "../../../src/core/account/accounts.ts";
import { cellName, idRange, joinedCells, openCell, refuseOtherCell } from "../../../src/core/cell.ts";
import { adoptDerivation, openSeal } from "../../../src/core/key/installation-seal.ts";
import { type Database, openDatabase } from "../../../src/database/database.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../../kit/database.ts";

let opened: { readonly database: TestDatabase; readonly db: Database }[] = [];
let db: Database;

async function openNew(): Promise<Database> {
  const database = await startTestDatabase();
  const pool = openDatabase({
    connection: database.url,
    max: 4,
    log: quietLog,
    applicationName: "cell test",
  });
  opened.push({ database, db: pool });
  return pool;
}

beforeEach(async () => {
  db = await openNew();
});
afterEach(async () => {
  for (const each of opened) {
    await each.db.close();
    await each.database.stop();
  }
  opened = [];
});

test("an installation without a name gets one at any later start, and keeps it", async () => {
  expect(await openCell(db, null)).toBeNull();
  await refuseOtherCell(db, "a");
  expect(await cellName(db)).toBeNull();
  expect(await openCell(db, "a")).toBe("a");
  expect(await openCell(db, "a")).toBe("a");
  expect(await cellName(db)).toBe("a");
});

test("a start with another name, or with none, is refused and names both", async () => {
  await openCell(db, "a");
  await expect(openCell(db, "b")).rejects.toThrow(
    'This database belongs to the cell "a", and CELL is "b". Set CELL=a, or use the database of the cell "b".',
  );
  await expect(openCell(db, null)).rejects.toThrow("CELL is not set. Set CELL=a.");
  expect(await cellName(db)).toBe("a");
});

test("a command may leave the name out, but not give another one", async () => {
  await openCell(db, "a");
  await refuseOtherCell(db, null);
  await refuseOtherCell(db, "a");
  await expect(refuseOtherCell(db, "b")).rejects.toThrow('belongs to the cell "a"');
});

test("of nodes that start at once with different names, those with one name go on", async () => {
  const names = ["a", "b", "a", "b"];
  const starts = await Promise.allSettled(names.map((name) => openCell(db, name)));
  const known = await cellName(db);
  expect(names.filter((_, place) => starts[place]?.status === "fulfilled")).toEqual([known, known]);
});

describe("a cell that joins", () => {
  const secretKey = randomBytes(32).toString("base64");
  const KEYS = { secretKey, otherKey: undefined };
  let other: Database;
  const join = (cell: string, from = db, to = other) => adoptDerivation(to, from, { secretKey, cell });
  const idOf = async (cell: Database) => (await createAccount(cell, { name: "Shop" })).accountId;

  beforeEach(async () => {
    other = await openNew();
    await openSeal(db, KEYS);
  });

  test("gets ids that no other cell gives", async () => {
    const third = await openNew();
    const ranges = [await join("b"), await join("c", db, third)];
    expect(await idRange(db)).toEqual({ first: 10_000_000, last: 99_999_999 });
    for (const { first, last } of ranges) {
      expect(first).toBeGreaterThanOrEqual(1_000_000_000);
      expect(last - first).toBe(999_999);
      // Locks and numbers of the database have 32 bits.
      expect(last).toBeLessThan(2 ** 31);
    }
    expect(ranges[0]?.first).not.toBe(ranges[1]?.first);
    expect(await joinedCells(db)).toEqual(["b", "c"]);
    for (const [place, cell] of [other, third].entries()) {
      const id = await idOf(cell);
      expect(id).toBeGreaterThanOrEqual(ranges[place]?.first ?? 0);
      expect(id).toBeLessThanOrEqual(ranges[place]?.last ?? 0);
    }
    expect(String(await idOf(db))).toMatch(/^\d{8}$/);
  });

  test("keeps its name and ids when the command is repeated, also after it is used", async () => {
    const range = await join("b");
    await idOf(other);
    expect(await join("b")).toEqual(range);
    expect(await openCell(other, "b")).toBe("b");
  });

  test("is known again by a first cell that was restored to an earlier state", async () => {
    const range = await join("b");
    await db.query("delete from cells");
    expect(await join("b")).toEqual(range);
    expect(await joinedCells(db)).toEqual(["b"]);
  });

  test("is refused if its ids were given to another one meanwhile", async () => {
    const { first } = await join("b");
    await db.query("update cells set name = 'c', database_id = gen_random_uuid()");
    await expect(join("b")).rejects.toThrow(
      `has given the account ids of this cell, which begin with ${first / 1_000_000}, to another one`,
    );
  });

  test("is refused a name that another cell has", async () => {
    await openCell(db, "a");
    await expect(join("a")).rejects.toThrow('The other cell is named "a" itself');
    await join("b");
    const third = await openNew();
    await expect(join("b", db, third)).rejects.toThrow('The name "b" belongs to another database');
    expect(await idRange(third)).toEqual(await idRange(db));
  });

  test("is refused under another name than it has", async () => {
    await openCell(other, "b");
    await expect(join("c")).rejects.toThrow('belongs to the cell "b"');
  });

  test("is refused by one that has joined itself", async () => {
    await join("b");
    await expect(join("c", other, await openNew())).rejects.toThrow("Name the first cell");
  });

  test("is refused by itself", async () => {
    await openSeal(other, KEYS);
    await expect(join("b", other)).rejects.toThrow("both names lead to the same database");
  });

  test("leaves a name that the first cell cannot take later", async () => {
    await join("b");
    await expect(openCell(db, "b")).rejects.toThrow('Another cell of this installation is named "b"');
    expect(await openCell(db, "a")).toBe("a");
  });

  test("of two that join at once, each gets ids of its own", async () => {
    const cells = await Promise.all([openNew(), openNew(), openNew()]);
    const ranges = await Promise.all(cells.map((cell, place) => join(`c${place}`, db, cell)));
    expect(new Set(ranges.map(({ first }) => first)).size).toBe(3);
  });
});
