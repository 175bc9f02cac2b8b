import { expect, test } from "vitest";
import { quietLog } from "../../../test/kit/database.ts";
import type { Database, Queryable } from "../../database/database.ts";
import { createDeadLetterQueue } from "./dead-letters.ts";

interface Row {
  readonly account_id: number;
  readonly payload: string;
}

/** A database that only records which rows are stored together. */
function recording() {
  const batches: Row[][] = [];
  const tx: Queryable = {
    async query(_statement: unknown, [rows]: readonly unknown[]) {
      if (typeof rows === "string") batches.push(JSON.parse(rows) as Row[]);
      return [];
    },
  } as Queryable;
  return { batches, db: { tx: (work: (of: Queryable) => unknown) => work(tx) } as Database };
}

const letter = (accountId: number, payload: string) => ({
  accountId,
  channelId: `channel of ${accountId}`,
  stage: "payload" as const,
  payload,
  reason: "It cannot be parsed",
});

test("large reports of one account are stored a few at a time, and others do not wait for them", async () => {
  const { batches, db } = recording();
  const queue = createDeadLetterQueue(db, quietLog);
  const large = Array.from({ length: 12 }, (_, index) => letter(1, `${index}`.padEnd(2_000_000, "x")));
  await Promise.all([...large, letter(2, "small")].map((each) => queue.add(each)));
  expect(batches[0]?.map(({ account_id }) => account_id)).toContain(2);
  for (const rows of batches)
    expect(rows.reduce((sum, { payload }) => sum + payload.length, 0)).toBeLessThan(7_000_000);
  expect(batches.flat()).toHaveLength(13);
});

test("a report larger than the limit of a transaction is stored", async () => {
  const { batches, db } = recording();
  const queue = createDeadLetterQueue(db, quietLog);
  await Promise.all([letter(1, "x".repeat(5_000_000)), letter(1, "small")].map((each) => queue.add(each)));
  expect(batches.flat()).toHaveLength(2);
  await queue.close();
});
