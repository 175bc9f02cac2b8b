import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deliver } from "./delivery.ts";
import { openSession } from "./session.ts";
import {
  BOT,
  FAST,
  type FakeBotApi,
  linkTo,
  ok,
  sentMessage,
  startFakeBotApi,
  type TelegramTestLink,
  textMessage,
} from "./testing.ts";

const never = new AbortController().signal;
const ANN = { id: 111, is_bot: false, first_name: "Ann", username: "ann" };
const BOB = { id: 222, is_bot: false, first_name: "Bob" };
const FORUM = { id: -1001000000009, title: "Forum", is_forum: true, type: "supergroup" };
const DIRECT = { id: -1002000000010, title: "News", is_direct_messages: true, type: "supergroup" };

let api: FakeBotApi;
let link: TelegramTestLink;
let session: Awaited<ReturnType<typeof openSession>>;

beforeEach(async () => {
  api = await startFakeBotApi();
  api.on("getMe", ok(BOT));
  api.on("deleteWebhook", ok(true));
  link = linkTo(api.url);
  session = await openSession(link, FAST);
  await api.request("getUpdates");
});
afterEach(async () => {
  await session.close();
  await link.dispose();
  expect(await api.finish()).toEqual([]);
});

interface Sample {
  readonly id: number;
  readonly chat: object;
  readonly from?: object;
  readonly more?: object;
}

const written = ({ id, chat, from = ANN, more = {} }: Sample): object => ({
  update_id: 9_000 + id,
  message: { message_id: id, from, chat, date: 1_795_801_985, text: `text ${id}`, ...more },
});
const inTopic = (thread: number): object => ({ message_thread_id: thread, is_topic_message: true });
const toWriter = (topic_id: number, user: object): object => ({ direct_messages_topic: { topic_id, user } });

async function receive(...samples: Sample[]): Promise<void> {
  const client = { botId: String(BOT.id), redact: (text: string) => text } as Parameters<
    typeof deliver
  >[1]["client"];
  await deliver(samples.map(written), { link, client, signal: never });
}

/** The parameters of the call that sends the message, without its text. */
async function sent(to: Parameters<typeof textMessage>[0]): Promise<unknown> {
  api.on("sendMessage", sentMessage(77, Number.parseInt(to?.to?.chatId ?? "", 10)));
  expect(await session.send(textMessage(to), never)).toMatchObject({ chatId: to?.to?.chatId });
  const params = api.requests.findLast(({ method }) => method === "sendMessage")?.params ?? {};
  return { ...params, text: undefined };
}

const forum = { chatType: "telegroup", chatId: String(FORUM.id) } as const;
const forumQuote = (externalId: string) => ({ to: forum, quoted: { ...forum, externalId } });

describe("a forum", () => {
  it("gets replies in the topic of its newest message", async () => {
    await receive({ id: 40, chat: FORUM, more: inTopic(12) }, { id: 41, chat: FORUM, more: inTopic(13) });
    expect(await sent({ to: forum })).toEqual({ chat_id: FORUM.id, message_thread_id: 13 });
    await receive({ id: 42, chat: FORUM });
    expect(await sent({ to: forum })).toEqual({ chat_id: FORUM.id });
  });

  it("gets a quoting reply in the topic of the quoted message", async () => {
    await receive({ id: 40, chat: FORUM, more: inTopic(12) }, { id: 41, chat: FORUM, more: inTopic(13) });
    expect(await sent(forumQuote("40"))).toEqual({
      chat_id: FORUM.id,
      message_thread_id: 12,
      reply_parameters: { message_id: 40 },
    });
    expect(await sent(forumQuote("7"))).toEqual({ chat_id: FORUM.id, reply_parameters: { message_id: 7 } });
  });

  it("remembers the topics of a limited number of messages", async () => {
    for (let id = 100; id < 200; id += 20)
      await receive(
        ...Array.from({ length: 20 }, (_, n) => ({ id: id + n, chat: FORUM, more: inTopic(12) })),
      );
    const stored = await link.state.get(`topics:${FORUM.id}`);
    expect(JSON.parse(stored ?? "")).toHaveLength(50);
  });
});

it("keeps threads of replies apart from topics", async () => {
  const group = { id: -1003, title: "Group", type: "supergroup" };
  await receive({ id: 5, chat: group, more: { message_thread_id: 3 } });
  expect(await sent({ to: { chatType: "telegroup", chatId: "-1003" } })).toEqual({ chat_id: -1003 });
});

describe("direct messages of a channel", () => {
  it("are a chat of each writer, and a reply goes to its writer", async () => {
    await receive(
      { id: 51, chat: DIRECT, more: toWriter(7001, ANN) },
      { id: 52, chat: DIRECT, from: BOB, more: toWriter(7002, BOB) },
    );
    const events = link.events.filter(({ kind }) => kind === "message");
    expect(events).toMatchObject([
      {
        message: {
          chatType: "telegram",
          chatId: "-1002000000010.7001",
          externalId: "51",
          direction: "in",
          contact: { name: "Ann", username: "ann", avatar: { token: "avatar:111" } },
        },
      },
      { message: { chatId: "-1002000000010.7002", contact: { name: "Bob" } } },
    ]);
    expect(await sent({ to: { chatType: "telegram", chatId: "-1002000000010.7001" } })).toEqual({
      chat_id: DIRECT.id,
      direct_messages_topic_id: 7001,
    });
  });

  it("show what the channel's administrators write as the channel's own", async () => {
    const byChannel = { ...toWriter(7001, ANN), sender_chat: { id: -1004, title: "News", type: "channel" } };
    await receive({ id: 53, chat: DIRECT, from: BOB, more: byChannel });
    expect(link.events.at(-1)).toMatchObject({
      message: { chatId: "-1002000000010.7001", direction: "echo", contact: { name: "Ann" } },
    });
  });

  it("addressed without a writer go to the writer of the newest message", async () => {
    await receive({ id: 51, chat: DIRECT, more: toWriter(7001, ANN) });
    expect(await sent({ to: { chatType: "telegroup", chatId: String(DIRECT.id) } })).toEqual({
      chat_id: DIRECT.id,
      direct_messages_topic_id: 7001,
    });
  });

  it("can be changed and deleted", async () => {
    api.on("deleteMessage", ok(true));
    await session.remove({ chatType: "telegram", chatId: "-1002000000010.7001", externalId: "9" }, never);
    expect(api.requests.at(-1)?.params).toEqual({ chat_id: DIRECT.id, message_id: 9 });
  });
});

it("a reply to a part quotes the part", async () => {
  const reply_to_message = { message_id: 5, from: BOT, chat: ANN, text: "a price and a date", date: 1 };
  const quote = { text: "a date", position: 12, is_manual: true };
  await receive({ id: 60, chat: { ...ANN, type: "private" }, more: { reply_to_message, quote } });
  expect(link.events.at(-1)).toMatchObject({
    message: { quoted: { externalId: "5", body: { type: "text", text: "a date" }, part: "a date" } },
  });
});
