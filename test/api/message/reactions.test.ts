import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { TransportError } from "../../../src/core/transport/errors.ts";
import type { TransportEvent } from "../../../src/core/transport/events.ts";
import { addReceiver } from "../../kit/cursors.ts";
import { call, outcome } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { openInbox } from "../kit/inbox.ts";
import { createMessenger, startSending, type TestMessenger } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const WIDE = { perSecond: 1_000, burst: 1_000 };
const CHAT = "79001";
const REF = { chatType: "whatsapp", chatId: CHAT, externalId: "hello" } as const;
const ANN = { id: CHAT, name: "Ann" };

let messenger: TestMessenger;
let node: TestNode;
let stop: () => Promise<void>;
let account: TestAccount;
let channelId: string;
let messageId: string;

beforeAll(async () => {
  messenger = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 }, { reactions: { send: true } });
  node = await startNode({ transports: [messenger.transport] });
  stop = await startSending(node);
});
afterAll(async () => {
  await stop();
  await node.stop();
});
beforeEach(async () => {
  messenger.refuse = () => undefined;
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  await addReceiver(node.db, account.id, ["reactions", "message.reaction"], "v3");
  await write(node, { account, channelId }, [[CHAT, "hello"]]);
  const [message] = await node.db.query<{ id: string }>("select id from messages where account_id = $1", [
    account.id,
  ]);
  messageId = message?.id ?? "";
});

type Reaction = Extract<TransportEvent, { kind: "reaction" }>;

const at = (second: number): Date => new Date(Date.UTC(2030, 0, 1, 0, 0, second));
const reaction = (emoji: string | null, second: number, more: Partial<Reaction> = {}): Reaction => ({
  kind: "reaction",
  ref: REF,
  emoji,
  by: ANN,
  at: at(second),
  ...more,
});
const report = (event: TransportEvent): Promise<void> => messenger.tell(channelId, event);
const change = (method: "PUT" | "DELETE", body?: object, id = messageId) =>
  call(node, method, `/v2/messages/${id}/reaction`, {
    token: account.access,
    ...(body === undefined ? {} : { body }),
  });

/** What receivers got of this kind, oldest first. */
async function told(kind: string): Promise<Record<string, unknown>[]> {
  const rows = await node.db.query<{ body: string }>(
    "select body from events where account_id = $1 and kind = $2 order by id",
    [account.id, kind],
  );
  return rows.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
}
const emojiTold = async () => (await told("reactions")).map(({ emoji, from }) => [emoji, from]);

test("a person has one reaction, which is replaced and removed; what is repeated or late changes nothing", async () => {
  await report(reaction("👍", 1));
  await report(reaction("👍", 1));
  await report(reaction("🔥", 3));
  await report(reaction("👎", 2));
  await report(reaction(null, 4));
  await report(reaction("🔥", 3));
  await report(reaction(null, 5));
  expect(await emojiTold()).toEqual([
    ["👍", ANN],
    ["🔥", ANN],
    [null, ANN],
  ]);
  const [v3] = await told("reactions");
  expect(v3).toEqual({
    messageId,
    channelId,
    chatType: "whatsapp",
    chatId: CHAT,
    emoji: "👍",
    from: ANN,
    timestamp: at(1).toISOString(),
  });
  const [v2] = await told("message.reaction");
  expect(v2).toMatchObject({
    message_id: messageId,
    channel_id: channelId,
    recipient: { chat_id: CHAT, chat_type: "whatsapp", username: null, phone: null },
    emoji: "👍",
    from: ANN,
    timestamp: at(1).getTime(),
  });
});

test("several people react, and the account on its phone; a reaction to nothing is ignored", async () => {
  await report(reaction("👍", 1));
  await report(reaction("🔥", 1, { by: { id: "79002", name: "Bob" } }));
  const { by: _by, ...ours } = reaction("🎉", 2);
  await report(ours);
  await report(reaction("👍", 1, { ref: { ...REF, externalId: "unknown" } }));
  await report(reaction(null, 1, { by: { id: "79003", name: "Eve" } }));
  expect(await emojiTold()).toEqual([
    ["👍", ANN],
    ["🔥", { id: "79002", name: "Bob" }],
    ["🎉", "us"],
  ]);
});

test("we react in the second in which the messenger reported that we have no reaction", async () => {
  const { by: _by, ...ours } = reaction(null, 0);
  const second = Math.floor(node.core.clock.now().getTime() / 1_000) * 1_000;
  await report({ ...ours, at: new Date(second + 999) });
  expect(outcome(await change("PUT", { emoji: "👍" }))).toBe("200");
  expect(await emojiTold()).toEqual([["👍", "us"]]);
});

test("we react, replace and remove it, each once", async () => {
  const before = messenger.reacted.length;
  const answers = [
    await change("PUT", { emoji: "👍" }),
    await change("PUT", { emoji: "👍" }),
    await change("PUT", { emoji: "❤️" }),
    await change("DELETE"),
    await change("DELETE"),
  ];
  expect(answers.map(outcome)).toEqual(["200", "200", "200", "200", "200"]);
  expect(answers[0]?.json).toMatchObject({ data: { message_id: messageId, chat_id: CHAT } });
  expect(messenger.reacted.slice(before)).toEqual([
    { externalId: "hello", emoji: "👍" },
    { externalId: "hello", emoji: "❤️" },
    { externalId: "hello", emoji: null },
  ]);
  expect(await emojiTold()).toEqual([
    ["👍", "us"],
    ["❤️", "us"],
    [null, "us"],
  ]);
});

test("the page shows reactions, and reacts itself", async () => {
  await report(reaction("👍", 1));
  await report(reaction("🔥", 1, { by: { id: "79002", name: "Bob" } }));
  const page = await openInbox(node, account.api);
  const reacted = await page.send("PUT", `messages/${messageId}/reaction`, { emoji: "🎉" });
  const theirs = [
    { emoji: "👍", name: "Ann", is_ours: false },
    { emoji: "🔥", name: "Bob", is_ours: false },
  ];
  expect(reacted.json).toMatchObject({
    can_react: true,
    // By time, and the service's clock is the earlier one here.
    reactions: [{ emoji: "🎉", name: "", is_ours: true }, ...theirs],
  });
  await report(reaction(null, 2));
  const removed = await page.send("DELETE", `messages/${messageId}/reaction`);
  expect(removed.json).toMatchObject({ reactions: theirs.slice(1) });
});

test("an unknown outcome is repeated, a refusal is told, and nothing is stored of it", async () => {
  const before = messenger.reacted.length;
  let refusals = 1;
  messenger.refuse = () => {
    if (refusals-- > 0) throw new TransportError("UNKNOWN_ERROR", "no response", { retry: "unknown" });
  };
  expect(outcome(await change("PUT", { emoji: "👍" }))).toBe("200");
  messenger.refuse = () => {
    throw new TransportError("GENERAL_ERROR", "not this emoji");
  };
  expect(outcome(await change("PUT", { emoji: "🔥" }))).toBe("400 MESSAGES_CHANGE_REFUSED");
  expect(messenger.reacted.slice(before)).toEqual([{ externalId: "hello", emoji: "👍" }]);
  expect(await emojiTold()).toEqual([["👍", "us"]]);
});

test.each([
  ["a word", { emoji: "ok" }, "400 VALIDATION_ERROR emoji"],
  ["two emoji", { emoji: "👍👍" }, "400 VALIDATION_ERROR emoji"],
  ["nothing", {}, "400 VALIDATION_ERROR emoji"],
  ["an empty text", { emoji: "" }, "400 VALIDATION_ERROR emoji"],
])("%s is no reaction", async (_, body, expected) => {
  expect(outcome(await change("PUT", body))).toBe(expected);
});

test("a message of another account is missing", async () => {
  const [mine, other] = [account, await addAccount(node.db)];
  account = other;
  expect(outcome(await change("PUT", { emoji: "👍" }))).toBe("404 MESSAGES_NOT_FOUND");
  account = mine;
  expect(outcome(await change("DELETE", undefined, "nothing"))).toBe("404 MESSAGES_NOT_FOUND");
});

test("a transport without reactions says so", async () => {
  const silent = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 });
  const { reactions: _reactions, ...capabilities } = silent.transport.definition.capabilities;
  const transports = new Map(node.core.transports);
  const registered = transports.get("whatsapp");
  if (registered === undefined) throw new Error("no transport");
  const core = {
    ...node.core,
    transports: transports.set("whatsapp", {
      ...registered,
      definition: { ...registered.definition, capabilities },
    }),
  };
  const { reactToMessage } = await import("../../../src/core/message/react.ts");
  await expect(reactToMessage(core, { accountId: account.id }, messageId, "👍")).rejects.toMatchObject({
    code: "CHANNEL_INVALID_TRANSPORT",
  });
});
