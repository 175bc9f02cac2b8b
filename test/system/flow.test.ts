import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Item } from "../kit/receiver.ts";
import { type Channel, must, type Stand, send, startStand } from "../kit/stand.ts";

let stand: Stand;
let channel: Channel;
let person: string;

beforeAll(async () => {
  stand = await startStand();
  await stand.start();
  channel = await stand.addChannel(1);
  person = channel.people[0] ?? "";
});
afterAll(() => stand.stop());

async function untilTold(told: (item: Item) => boolean): Promise<Item> {
  await stand.receiver.until(() => stand.receiver.taken().some(told));
  const item = stand.receiver.taken().find(told);
  if (item === undefined) throw new Error("what was told is gone");
  return item;
}

/** What the person sees. */
async function conversation(): Promise<string[]> {
  const { items } = await stand.telegram.admin<{ items: { text?: string }[] }>(
    `GET /bots/${channel.bot.id}/chats/${person}/messages`,
  );
  return items.flatMap(({ text }) => (text === undefined ? [] : [text]));
}

test("a message is sent, reported as sent, edited and deleted", async () => {
  const messageId = await send(stand, channel, person, "Good morning");
  await untilTold(
    ({ kind, status, messageId: id }) => kind === "statuses" && status === "sent" && id === messageId,
  );
  expect(await conversation()).toContain("Good morning");

  await must(stand.call("PATCH", `/v2/messages/${messageId}`, { text: "Good evening" }));
  expect(await conversation()).toContain("Good evening");
  expect(await conversation()).not.toContain("Good morning");

  await must(stand.call("DELETE", `/v2/messages/${messageId}`));
  await vi.waitUntil(async () => !(await conversation()).includes("Good evening"));
});

test("channels are counted by status, also where there are none", async () => {
  const shown = async () => String((await stand.call("GET", "/metrics")).json);
  await vi.waitUntil(async () =>
    (await shown()).includes('trunkline_channels{transport="vk",status="disabled"} 0\n'),
  );
});

test("each of many channels sends", async () => {
  const channels: Channel[] = [];
  for (let count = 0; count < 6; count++) channels.push(await stand.addChannel(1));
  const sends = channels.map((each) => send(stand, each, each.people[0] ?? "", "Hello from all of us"));
  await Promise.all([...sends, ...channels.map(({ bot }) => bot.untilSent(1))]);
});

test("the same on v3", async () => {
  const body = { channelId: channel.id, chatType: "telegram", chatId: person, text: "Good night" };
  const { json } = await must(stand.call("POST", "/v3/message", body));
  const { messageId } = json as { messageId: string };
  await untilTold(
    ({ kind, status, messageId: id }) => kind === "statuses" && status === "sent" && id === messageId,
  );
  expect(await conversation()).toContain("Good night");

  const edited = await must(stand.call("PATCH", `/v3/message/${messageId}`, { text: "Sleep well" }));
  expect(edited.json).toEqual({ messageId, chatId: person });
  expect(await conversation()).toContain("Sleep well");
  expect(await conversation()).not.toContain("Good night");

  const removed = await must(stand.call("DELETE", `/v3/message/${messageId}`));
  expect(removed.json).toEqual({ messageId, chatId: person });
  await vi.waitUntil(async () => !(await conversation()).includes("Sleep well"));
});

test("a person's message is reported once, with sender and chat", async () => {
  await channel.bot.write(person, "Is anybody there?");
  const item = await untilTold(({ text }) => text === "Is anybody there?");
  expect(item).toMatchObject({
    kind: "messages",
    status: "inbound",
    channelId: channel.id,
    chatType: "telegram",
    chatId: person,
    type: "text",
    isEcho: false,
    contact: { name: `Person ${person}` },
  });
  expect(stand.receiver.taken().filter(({ text }) => text === "Is anybody there?")).toHaveLength(1);
});

test("a message to a person who has blocked the bot is reported as an error", async () => {
  await stand.telegram.admin(`POST /bots/${channel.bot.id}/users/${person}/blocks`);
  const messageId = await send(stand, channel, person, "Are you still there?");
  const item = await untilTold(({ kind, messageId: id }) => kind === "statuses" && id === messageId);
  expect(item.status).toBe("error");
  expect(item.error?.error).not.toBe("UNKNOWN_ERROR");
});
