import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "../../../src/core/message/report.ts";
import { createReportQueue } from "../../../src/core/message/report-queue.ts";
import { type Database, DatabaseUnavailable } from "../../../src/database/database.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

test("a message is not stored before an earlier one that was given up while the node stopped", async () => {
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "telegram" });
  const line = cuttable(node.db);
  const queue = createReportQueue(
    () => ({ ...node.core, db: line.db }),
    () => undefined,
  );
  const report = (text: string): Report => ({
    accountId: account.id,
    channelId,
    event: {
      kind: "message",
      message: {
        chatType: "telegram",
        chatId: "1",
        externalId: text,
        direction: "in",
        sentAt: new Date(),
        contact: { name: "Ann" },
        body: { type: "text", text },
      },
    },
  });
  // Its chat is known from then on, and nothing waits for a picture.
  await queue.add(report("zero"));
  line.cut();
  const first = queue.add(report("first"));
  await line.failed;
  const second = queue.add(report("second"));
  // The attempt for the first one still fails.
  line.mend();
  const ends = Promise.allSettled([first, second]);
  await queue.close().catch(() => undefined);
  expect((await ends).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await node.db.query("select text from messages where account_id = $1", [account.id])).toEqual([
    { text: "zero" },
  ]);
});

/** A line to the database that can be cut. */
function cuttable(db: Database) {
  let isCut = false;
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  const refuse = async () => {
    resolve();
    throw new DatabaseUnavailable("the line is cut");
  };
  return {
    /** Resolves when a statement fails; its caller does not know yet. */
    failed,
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
    },
    db: new Proxy(db, {
      get: (whole, name: keyof Database) => {
        const member = whole[name];
        return isCut && typeof member === "function" ? refuse : member;
      },
    }),
  };
}
