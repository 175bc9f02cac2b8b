import { expect, test } from "vitest";
import type { StartedJob } from "../../core/message/accept.ts";
import type { AcceptedMessage } from "../../core/message/accepted-message.ts";
import { AtOnce } from "./at-once.ts";

const MESSAGE: AcceptedMessage = {
  account_id: 1,
  id: "m",
  channel_id: "channel",
  chat: "chat",
  chat_type: "telegram",
  chat_id: "100",
  chat_name: "Ann",
  new_chat: false,
  type: "text",
  text: "Hello\u0000",
  content: { keyboard: { kind: "remove", selective: false } },
  quoted_id: null,
  author_id: null,
  author_name: null,
  crm_message_id: null,
};
const STORED: StartedJob = { id: 7, bytes: 5, chatId: "200", quietMs: 12 };
const [READ] = new AtOnce().begin(MESSAGE, STORED).jobs;
if (READ === undefined) throw new Error("there is no job");

test("a message is sent as stored, to the present id of its chat", () => {
  expect(READ).toMatchObject({
    chatId: "200",
    text: "Hello",
    content: MESSAGE.content,
    quietMs: 12,
    isMarked: true,
  });
  expect(new AtOnce().begin(MESSAGE, { ...STORED, chatId: null }).jobs[0]).toMatchObject({ chatId: "100" });
});

test.each([
  ["a text", {}, true],
  ["a quote", { quoted_id: "q" }, false],
  ["a file", { content: { attachment: { url: "http://x/" } } }, false],
  ["a template", { content: { template: { id: "t", values: [], payloads: [] } } }, false],
] as const)("%s", (_, more, expected) => expect(AtOnce.isPossible({ ...MESSAGE, ...more })).toBe(expected));

test("the mark of an unsent message is reused once, in the same term and for the first attempt only", () => {
  const atOnce = new AtOnce();
  const marked = { ...READ, startedEpoch: 3, attempts: 1, unsureMs: 4 };
  expect(atOnce.known(marked)).toBe(marked);
  atOnce.notSent(MESSAGE, 3);
  expect(atOnce.known(marked)).toMatchObject({
    startedEpoch: null,
    isMarked: true,
    attempts: 0,
    unsureMs: null,
  });
  expect(atOnce.known(marked)).toBe(marked);
  for (const other of [{ startedEpoch: 4 }, { attempts: 2 }, { startedEpoch: null }]) {
    atOnce.notSent(MESSAGE, 3);
    expect(atOnce.known({ ...marked, ...other })).toEqual({ ...marked, ...other });
  }
});

test("a message that is sent after all was not unsent: its mark counts if it is read again", () => {
  const atOnce = new AtOnce();
  atOnce.notSent(MESSAGE, 3);
  atOnce.begin(MESSAGE, STORED);
  const lost = { ...READ, startedEpoch: 3, attempts: 1, unsureMs: 4 };
  expect(atOnce.known(lost)).toBe(lost);
});
