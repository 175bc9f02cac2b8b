import { afterAll, beforeAll, expect, test } from "vitest";
import { failOrphanedJobs } from "../../../src/core/message/orphaned-jobs.ts";
import { newId } from "../../../src/platform/ids.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

let node: TestNode;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

/** A channel with a waiting message, whose job is set up as given. */
async function addWaiting({ startedEpoch = null, isUnsure = false }: Job = {}): Promise<Waiting> {
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "telegram" });
  const [chat, messageId] = [newId(), newId()];
  await node.db.query(
    "insert into chats (account_id, id, channel_id, chat_type, chat_id) values ($1, $2, $3, 'telegram', '7')",
    [account.id, chat, channelId],
  );
  await node.db.query(
    `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
     values ($1, $2, $3, $4, 'out', 'text', 'queued', 'Hello', now())`,
    [account.id, messageId, channelId, chat],
  );
  await node.db.query(
    `insert into send_jobs (account_id, channel_id, chat, message_id, kind, started_epoch, unsure_since)
     values ($1, $2, $3, $4, 'send', $5, case when $6 then now() end)`,
    [account.id, channelId, chat, messageId, startedEpoch, isUnsure],
  );
  return { channelId, messageId };
}

interface Job {
  readonly startedEpoch?: number | null;
  readonly isUnsure?: boolean;
}

interface Waiting {
  readonly channelId: string;
  readonly messageId: string;
}

const messageOf = (messageId: string) =>
  node.db.query("select status, error ->> 'code' as code from messages where id = $1", [messageId]);

test.each([
  ["was not sent", { startedEpoch: null, isUnsure: false }, "MESSAGE_CANCELLED"],
  ["is being sent", { startedEpoch: 3, isUnsure: true }, "UNKNOWN_ERROR"],
  ["may have arrived at an earlier attempt", { startedEpoch: null, isUnsure: true }, "UNKNOWN_ERROR"],
])("a message that %s ends with its disabled channel", async (_, job, code) => {
  const { channelId, messageId } = await addWaiting(job);
  await node.db.query("update channels set status = 'disabled', owner = null where id = $1", [channelId]);
  expect(await failOrphanedJobs(node.core)).toBe(1);
  expect(await messageOf(messageId)).toEqual([{ status: "error", code }]);
});

const CANCELLED = { status: "error", code: "MESSAGE_CANCELLED" };
const QUEUED = { status: "queued", code: null };

test.each([
  ["ends if the owner's lease has ended", "-1 second", CANCELLED],
  ["ends if the owner's row has been deleted", null, CANCELLED],
  ["waits if the owner is alive, because it may be sending it", "1 hour", QUEUED],
])("a message of a disabled channel that is not released yet %s", async (_, left, expected) => {
  const { channelId, messageId } = await addWaiting();
  const owner = newId();
  if (left !== null)
    await node.db.query(
      "insert into nodes (id, name, roles, lease_until) values ($1, 'n', '{sessions}', now() + $2::interval)",
      [owner, left],
    );
  await node.db.query("update channels set status = 'disabled', owner = $2 where id = $1", [
    channelId,
    owner,
  ]);
  await failOrphanedJobs(node.core);
  expect(await messageOf(messageId)).toEqual([expected]);
});
