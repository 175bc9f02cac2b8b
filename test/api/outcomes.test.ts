import { expect, onTestFinished, test, vi } from "vitest";
import { call } from "./kit/call.ts";
import { createMessenger, startSending } from "./kit/sending.ts";
import { addAccount, addChannel, startNode } from "./kit/service.ts";

const WIDE = { perSecond: 1_000, burst: 1_000 };

test("an outcome that the database fails to store takes no other's along", async () => {
  const messenger = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 });
  const node = await startNode({ transports: [messenger.transport] });
  onTestFinished(() => node.stop());
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  await node.db.query(`create function fail() returns trigger language plpgsql as
    $$begin raise exception 'could not write' using errcode = 'XX000'; end$$`);
  await node.db.query(`create trigger fail before update on messages for each row
    when (new.status = 'sent' and new.text = 'not stored') execute function fail()`);
  const texts = ["one", "not stored", "two"];
  for (const [chat, text] of texts.entries())
    await call(node, "POST", "/v2/messages", {
      token: account.access,
      body: {
        channel_id: channelId,
        recipient: { chat_type: "whatsapp", chat_id: `7900111000${chat}` },
        text,
      },
    });
  onTestFinished(await startSending(node, { pacing: false }));
  const ended = () =>
    node.db.query<{ text: string; status: string }>(
      "select text, status from messages where status <> 'queued' order by id",
    );
  await vi.waitUntil(async () => (await ended()).length === texts.length);
  expect((await ended()).map(({ text, status }) => `${text}: ${status}`)).toEqual([
    "one: sent",
    "not stored: error",
    "two: sent",
  ]);
});
