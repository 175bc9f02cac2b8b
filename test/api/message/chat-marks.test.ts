import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { TransportError } from "../../../src/core/transport/errors.ts";
import { call, outcome } from "../kit/call.ts";
import { arrive, write } from "../kit/inbound.ts";
import { openInbox } from "../kit/inbox.ts";
import { createMessenger, startSending, type TestMessenger } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const WIDE = { perSecond: 1_000, burst: 1_000 };
const CHAT = "79001";

let messenger: TestMessenger;
let node: TestNode;
let stop: () => Promise<void>;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  messenger = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 }, { marks: ["read"] });
  node = await startNode({ transports: [messenger.transport] });
  stop = await startSending(node);
});
afterAll(async () => {
  await stop();
  await node.stop();
});
beforeEach(async () => {
  messenger.refuse = () => undefined;
  messenger.hinder = () => undefined;
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
});

const mark = (path: string, body?: object, token = account.access) =>
  call(node, "POST", `/v2/chats/whatsapp/${path}`, { token, ...(body === undefined ? {} : { body }) });
const received = (id: string) => messenger.marked.filter(({ chat }) => chat.chatId === id);

test("the newest messages of the people are marked as read, in the order of sends", async () => {
  await write(node, { account, channelId }, [[CHAT, "one"]]);
  await write(node, { account, channelId }, [[CHAT, "two"]]);
  const recipient = { chat_type: "whatsapp", chat_id: CHAT };
  await call(node, "POST", "/v2/messages", {
    token: account.access,
    body: { channel_id: channelId, recipient, text: "Hello" },
  });
  const answer = await mark(`${CHAT}/read`);
  expect([answer.status, answer.json]).toMatchObject([200, { data: null }]);
  expect(received(CHAT)).toMatchObject([
    {
      mark: "read",
      chat: { chatType: "whatsapp", messages: [{ externalId: "two" }, { externalId: "one" }] },
    },
  ]);
  expect(messenger.arrived.some(({ text }) => text === "Hello")).toBe(true);
  // Nothing of it is left, and the message is unchanged.
  expect(await node.db.query("select 1 from send_jobs where account_id = $1", [account.id])).toEqual([]);
  expect(
    await node.db.query("select 1 from messages where account_id = $1 and edited_at is not null", [
      account.id,
    ]),
  ).toEqual([]);
});

test("in a group, each message has its author", async () => {
  await arrive(
    node,
    { account, channelId },
    {
      chatType: "whatsgroup",
      chatId: "120363",
      externalId: "g1",
      contact: { name: "Group" },
      sender: { id: "79002", name: "Bob" },
      body: { type: "text", text: "Hi" },
    },
  );
  const answer = await call(node, "POST", "/v2/chats/whatsgroup/120363/read", { token: account.access });
  expect(answer.status).toBe(200);
  expect(received("120363")).toMatchObject([
    { chat: { messages: [{ externalId: "g1", senderId: "79002" }] } },
  ]);
});

test("several channels with the chat: the request names one", async () => {
  const other = await addChannel(node, account, { transport: "whatsapp" });
  await write(node, { account, channelId }, [["79003", "here"]]);
  await write(node, { account, channelId: other }, [["79003", "there"]]);
  expect(outcome(await mark("79003/read"))).toBe("400 VALIDATION_ERROR channel_id");
  expect(outcome(await mark("79003/read", { channel_id: other }))).toBe("200");
  expect(received("79003")).toMatchObject([{ chat: { messages: [{ externalId: "there" }] } }]);
});

test("the messenger's refusal is the answer", async () => {
  await write(node, { account, channelId }, [["79004", "hi"]]);
  messenger.refuse = () => {
    throw new TransportError("BAD_CONTACT", "The person is gone");
  };
  const answer = await mark("79004/read");
  expect(outcome(answer)).toBe("400 MESSAGES_CHANGE_REFUSED");
  expect(answer.json).toMatchObject({ data: { error: "BAD_CONTACT" } });
});

test("what cannot be marked is refused", async () => {
  await write(node, { account, channelId }, [["79005", "hi"]]);
  expect(outcome(await mark("79005/typing"))).toBe("400 CHANNEL_INVALID_TRANSPORT");
  expect(outcome(await mark("79006/read"))).toBe("404 CHAT_NOT_FOUND");
  expect(outcome(await mark("79005/read", { channel: channelId }))).toBe("400 VALIDATION_ERROR channel");
  const stranger = await addAccount(node.db);
  expect(outcome(await mark("79005/read", undefined, stranger.access))).toBe("404 CHAT_NOT_FOUND");
  expect(outcome(await mark("79005/read", { channel_id: channelId }, stranger.access))).toBe(
    "404 CHANNEL_NOT_FOUND",
  );
  await node.db.query("update channels set status = 'disabled', reason = 'unauthorized' where id = $1", [
    channelId,
  ]);
  expect(outcome(await mark("79005/read"))).toBe("400 MESSAGE_CHANNEL_UNAVAILABLE");
  expect(received("79005")).toEqual([]);
});

describe("a mark of the chat page", () => {
  const chatOf = async () => {
    const inbox = await openInbox(node, account.api);
    const { json } = await inbox.get("chats");
    const [chat] = (json as { chats: { id: string }[] }).chats;
    const show = async (what: string) =>
      (await inbox.send("POST", `chats/${chat?.id}/mark`, { mark: what })).json;
    return { inbox, show, abilities: () => inbox.get(`chats/${chat?.id}/abilities`) };
  };

  test("reaches the messenger without a wait for it; nothing else is an error", async () => {
    await write(node, { account, channelId }, [["79007", "hi"]]);
    const { show, abilities } = await chatOf();
    expect((await abilities()).json).toMatchObject({ marks: ["read"] });
    expect(await show("typing")).toEqual({ shown: false });
    expect(await show("read")).toEqual({ shown: true });
    await vi.waitUntil(() => received("79007").length > 0, { timeout: 60_000 });
    expect(received("79007")).toMatchObject([{ mark: "read", chat: { messages: [{ externalId: "hi" }] } }]);
    await node.db.query("update channels set status = 'disabled', reason = 'unauthorized' where id = $1", [
      channelId,
    ]);
    expect(await show("read")).toEqual({ shown: false });
  });

  test("waits once for one that is being shown, and is not shown late", async () => {
    await write(node, { account, channelId }, [["79008", "hi"]]);
    const { show } = await chatOf();
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    onTestFinished(() => held.resolve());
    messenger.hinder = (what) => {
      if (what !== "mark") return undefined;
      begun.resolve();
      return held.promise;
    };
    await show("read");
    await begun.promise;
    await show("read");
    await show("read");
    const waiting = await node.db.query(
      "select 1 from send_jobs where account_id = $1 and kind = 'mark' and unsure_since is null",
      [account.id],
    );
    expect(waiting).toHaveLength(1);
    await node.db.query(
      `insert into send_jobs (account_id, channel_id, chat, message_id, kind, change, bytes)
       select account_id, channel_id, chat, id, 'mark', '{"mark":"read","until":"2020-01-01T00:00:00Z"}', 60
       from messages where account_id = $1`,
      [account.id],
    );
    messenger.hinder = () => undefined;
    held.resolve();
    // This one is shown after all of them.
    expect(outcome(await mark("79008/read"))).toBe("200");
    expect(received("79008")).toHaveLength(3);
  });
});
