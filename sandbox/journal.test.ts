import { describe, expect, test } from "vitest";
import { Journal } from "./journal.ts";

const fill = (journal: Journal<{ n: number }>, count: number) => {
  for (let n = 1; n <= count; n++) journal.append({ n });
};

describe("journal", () => {
  test("keeps the newest entries, counts all", async () => {
    const journal = new Journal<{ n: number }>(3);
    fill(journal, 5);
    expect(await journal.read({ count: 5 })).toEqual({
      complete: true,
      count: 5,
      last_seq: 5,
      items: [3, 4, 5].map((n) => ({ n, seq: n })),
    });
  });

  test("a reader waits for matching entries after its position", async () => {
    const journal = new Journal<{ n: number }>(100);
    fill(journal, 4);
    const page = journal.read({ after: 2, count: 3, where: ({ n }) => n % 2 === 0 });
    fill(journal, 4);
    expect((await page).items.map(({ seq }) => seq)).toEqual([4, 6, 8]);
  });

  test("a reader gets the existing entries after its timeout, or when it is released", async () => {
    const journal = new Journal<{ n: number }>(100);
    fill(journal, 1);
    expect(await journal.read({ count: 2, timeoutMs: 1 })).toMatchObject({ complete: false, count: 1 });
    const hangUp = new AbortController();
    const waiting = [journal.read({ count: 2, signal: hangUp.signal }), journal.read({ count: 9 })];
    hangUp.abort();
    journal.release();
    expect(await Promise.all(waiting)).toMatchObject([{ complete: false }, { complete: false }]);
  });

  test("deleting entries does not reset the sequence", async () => {
    const journal = new Journal<{ n: number }>(100);
    fill(journal, 2);
    journal.clear();
    fill(journal, 1);
    expect(await journal.read({ count: 1 })).toMatchObject({ count: 1, items: [{ seq: 3 }] });
  });
});
