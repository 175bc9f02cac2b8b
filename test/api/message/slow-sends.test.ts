import { expect, onTestFinished, test, vi } from "vitest";
import type { Bucket } from "../../../src/core/transport/definition.ts";
import { call } from "../kit/call.ts";
import { createMessenger, startSending, type TestMessenger } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

/** Messages that take long, beside the other chats of their channel. */

const WIDE = { perSecond: 1_000, burst: 1_000 };

interface Channel {
  readonly node: TestNode;
  readonly messenger: TestMessenger;
  /** Accepts a message to each of these chats, one after the other. */
  accept(...chatIds: readonly string[]): Promise<void>;
}

/** A channel with this rate; nothing is sent yet. */
async function startChannel(rate: Bucket): Promise<Channel> {
  const messenger = createMessenger({ channel: rate, chat: WIDE, jitterMs: 0 });
  const node = await startNode({ transports: [messenger.transport] });
  onTestFinished(() => node.stop());
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  const accept = async (chatId: string): Promise<void> => {
    const recipient = { chat_type: "whatsapp", chat_id: chatId };
    const body = { channel_id: channelId, recipient, text: `to ${chatId}` };
    const { status } = await call(node, "POST", "/v2/messages", { token: account.access, body });
    expect(status).toBe(200);
  };
  return {
    node,
    messenger,
    async accept(...chatIds) {
      for (const chatId of chatIds) await accept(chatId);
    },
  };
}

const [ANN, BOB, CID] = ["79001110001", "79001110002", "79001110003"];

/** The messenger does not answer messages to Ann and Bob before the end of the test. Returns for whom it was asked. */
function hang(messenger: TestMessenger): string[] {
  const asked: string[] = [];
  const end = Promise.withResolvers<void>();
  onTestFinished(() => end.resolve());
  messenger.hinder = (chatId) => {
    asked.push(chatId);
    return chatId === CID ? undefined : end.promise;
  };
  return asked;
}

test.each(["as they are accepted", "after they have waited"])(
  "chats that hang do not stop the others of a channel with a low rate, whose messages are sent %s",
  async (when) => {
    const { node, messenger, accept } = await startChannel({ perSecond: 5, burst: 2 });
    const chats = [ANN, BOB, CID];
    if (when === "after they have waited") await accept(...chats);
    onTestFinished(await startSending(node));
    const asked = hang(messenger);
    await vi.waitUntil(() => messenger.opened.length > 0);
    if (when === "as they are accepted") await accept(...chats);
    await messenger.untilArrived(`to ${CID}`);
    expect(asked.toSorted()).toEqual(chats);
  },
);

test("messages accepted together are not started before the rate of their channel allows it", async () => {
  const { node, messenger, accept } = await startChannel({ perSecond: 0.001, burst: 2 });
  onTestFinished(await startSending(node));
  await vi.waitUntil(() => messenger.opened.length > 0);
  await Promise.all(Array.from({ length: 6 }, (_, index) => accept(`7900111${1_000 + index}`)));
  await vi.waitUntil(() => messenger.arrived.length === 2);
  const started = () => node.db.query("select 1 from send_jobs where attempts > 0");
  await vi.waitUntil(async () => (await node.db.query("select 1 from send_jobs")).length === 4);
  expect(await started()).toEqual([]);
});
