import { afterAll, beforeAll, expect, test } from "vitest";
import { recordReports } from "../../../src/core/message/record.ts";
import { newId } from "../../../src/platform/ids.ts";
import { addReceiver } from "../../kit/cursors.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

let node: TestNode;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

/** An edit job that was not sent, that is being sent, or that waits after an attempt of unknown outcome. */
type Mark = "not sent" | "under way" | "unsure";

/** The stored text and the statuses told after the messenger reports an edit to `new`, beside this edit job. */
async function afterReport(job: { readonly text: string; readonly mark: Mark } | null) {
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "telegram" });
  const [chat, messageId] = [newId(), newId()];
  await addReceiver(node.db, account.id, ["statuses"], "v3");
  await node.db.query(
    "insert into chats (account_id, id, channel_id, chat_type, chat_id) values ($1, $2, $3, 'telegram', '7')",
    [account.id, chat, channelId],
  );
  await node.db.query(
    `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, external_id, sent_at)
     values ($1, $2, $3, $4, 'out', 'text', 'sent', 'old', 'm1', now())`,
    [account.id, messageId, channelId, chat],
  );
  if (job !== null)
    await node.db.query(
      `insert into send_jobs (account_id, channel_id, chat, message_id, kind, change, started_epoch, unsure_since)
       values ($1, $2, $3, $4, 'edit', $5, $6, case when $7 then now() end)`,
      [
        account.id,
        channelId,
        chat,
        messageId,
        JSON.stringify({ text: job.text }),
        job.mark === "under way" ? 3 : null,
        job.mark !== "not sent",
      ],
    );
  const ref = { chatType: "telegram", chatId: "7", externalId: "m1" } as const;
  const body = { type: "text", text: "new" } as const;
  await recordReports(node.core, [
    { accountId: account.id, channelId, event: { kind: "edited", ref, body, at: new Date() } },
  ]);
  const [message] = await node.db.query<{ text: string }>(
    "select text from messages where account_id = $1 and id = $2",
    [account.id, messageId],
  );
  const told = await node.db.query<{ status: string }>(
    "select body::json ->> 'status' as status from events where account_id = $1 and kind = 'statuses'",
    [account.id],
  );
  return { text: message?.text, told: told.map(({ status }) => status) };
}

test.each<[string, Parameters<typeof afterReport>[0], object]>([
  ["no edit of ours: it was made in the messenger", null, { text: "new", told: ["edited"] }],
  ["our edit, sent, without an outcome", { text: "new", mark: "under way" }, { text: "old", told: [] }],
  [
    "our edit, whose last attempt may have arrived",
    { text: "new", mark: "unsure" },
    { text: "old", told: [] },
  ],
  ["our edit, not sent yet", { text: "new", mark: "not sent" }, { text: "new", told: ["edited"] }],
  ["another edit of ours", { text: "else", mark: "under way" }, { text: "new", told: ["edited"] }],
])("an edit is reported beside %s", async (_, job, expected) => {
  expect(await afterReport(job)).toEqual(expected);
});
