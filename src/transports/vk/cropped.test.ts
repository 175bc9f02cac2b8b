import { afterEach, expect, test, vi } from "vitest";
import { TransportError } from "../../core/transport/errors.ts";
import { catchUp } from "./catch-up.ts";
import type { Params, VkClient } from "./client.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { linkTo, sample } from "./testing.ts";

const link = linkTo("https://vk.example");
afterEach(() => {
  vi.useRealTimers();
});

const AT = 1_790_000_000;
const WHOLE = {
  id: 140,
  peer_id: 111,
  from_id: 111,
  date: AT,
  conversation_message_id: 40,
  text: "Do these fit?",
  attachments: [{ type: "doc", doc: { title: "a.pdf", ext: "pdf", url: "https://vk.com/doc1_1" } }],
  fwd_messages: [{ from_id: 7, conversation_message_id: 3, text: "the whole words" }],
};
const CROPPED = { ...WHOLE, attachments: [], fwd_messages: [], is_cropped: true, ref: "promo7" };
const PART = {
  ...WHOLE,
  fwd_messages: [{ from_id: 7, conversation_message_id: 3, text: "", is_cropped: true }],
};

type Answer = (params: Params) => unknown;

/** A receiver whose VK answers the request of whole messages like this; `asked` are the requests. */
function receiving(answer: Answer, more: Readonly<Record<string, unknown>> = {}) {
  const receiver = linkTo("https://vk.example");
  const asked: Params[] = [];
  const client: VkClient = {
    redact: (text) => text,
    fetch: () => Promise.reject(new Error("no file")),
    call: async (method, params) => {
      if (method !== "messages.getByConversationMessageId") return more[method] ?? {};
      asked.push(params);
      return answer(params);
    },
  };
  return { receiver: { link: receiver, client, signal: link.signal }, asked, link: receiver };
}

const whole: Answer = () => ({ count: 1, items: [WHOLE] });
const WORDS = "Do these fit?\n> the whole words";

test.each<[string, object, object]>([
  ["a message", { type: "message_new", object: { message: CROPPED } }, { kind: "message" }],
  ["a message with a cropped part", { type: "message_new", object: { message: PART } }, { kind: "message" }],
  [
    "a message written on VK's page",
    { type: "message_reply", object: { ...CROPPED, from_id: -1, out: 1, admin_author_id: 5 } },
    { kind: "message" },
  ],
  ["an edit", { type: "message_edit", object: CROPPED }, { kind: "edited" }],
])("%s is fetched whole", async (_, event, expected) => {
  const { receiver, asked, link } = receiving(whole);
  await deliver([event], receiver);
  expect(asked).toEqual([{ peer_id: "111", conversation_message_ids: "40" }]);
  expect(link.events).toMatchObject([expected]);
  const [first] = link.events;
  const body = first?.kind === "message" ? first.message.body : first?.kind === "edited" ? first.body : null;
  expect(body).toMatchObject({ media: "document", text: WORDS });
});

test("what VK returns only of the cropped message is kept", async () => {
  const { receiver, link } = receiving(whole);
  await deliver([{ type: "message_new", object: { message: CROPPED } }], receiver);
  expect(link.events).toMatchObject([{ message: { referral: { ref: "promo7" } } }]);
});

test("messages that were missed are fetched whole", async () => {
  const { receiver, asked, link } = receiving(whole, {
    "messages.getConversations": {
      items: [
        { conversation: { peer: { id: 111 } }, last_message: { ...CROPPED, date: Date.now() / 1_000 } },
      ],
    },
    "messages.getHistory": { items: [{ ...CROPPED, date: Math.ceil(Date.now() / 1_000) }] },
  });
  await link.state.set("receivedUntil", String(Date.now()));
  await catchUp(receiver);
  expect(asked).toHaveLength(1);
  expect(link.events).toMatchObject([{ message: { body: { text: WORDS } } }]);
});

test("one request fetches the messages of a conversation", async () => {
  const other = { ...CROPPED, conversation_message_id: 41 };
  const { receiver, asked } = receiving(whole);
  const events = [CROPPED, other].map((message) => ({ type: "message_new", object: { message } }));
  await deliver([...events, sample("text")], receiver);
  expect(asked).toEqual([{ peer_id: "111", conversation_message_ids: "40,41" }]);
});

test.each<[string, Answer]>([
  ["VK refuses", () => Promise.reject(new Refusal(917, "no access to this chat"))],
  ["the key lacks the right", () => Promise.reject(new Refusal(15, "access denied"))],
  ["VK does not know it", () => ({ count: 0, items: [] })],
  ["VK crops again", () => ({ items: [{ ...CROPPED, ref: undefined }] })],
])("a message that %s is reported as it came", async (_, answer) => {
  const { receiver, link } = receiving(answer);
  await deliver([{ type: "message_new", object: { message: CROPPED } }], receiver);
  expect(link.events).toMatchObject([{ message: { body: { type: "text", text: "Do these fit?" } } }]);
});

test("while VK fails, the event is not acknowledged, but not forever", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const failure = new TransportError("UNKNOWN_ERROR", "VK failed", { retry: "later" });
  const { receiver, link } = receiving(() => Promise.reject(failure));
  const event = { type: "message_new", object: { message: { ...CROPPED, peer_id: 112 } } };
  await expect(deliver([event], receiver)).rejects.toThrow("VK failed");
  expect(link.events).toEqual([]);
  vi.advanceTimersByTime(3 * 60_000);
  await deliver([event], receiver);
  expect(link.events).toMatchObject([{ message: { body: { text: "Do these fit?" } } }]);
});

test("reports kinds that are not known, and keeps their words", async () => {
  const { receiver, link } = receiving(whole);
  const later = { type: "whiteboard", whiteboard: { title: "Plan" } };
  const messages = [
    { ...WHOLE, attachments: [later] },
    { ...WHOLE, text: "", action: { type: "chat_theme_update" } },
    { ...WHOLE, text: "", attachments: [], fwd_messages: [] },
    { ...WHOLE, effect: "snow", fwd_messages: [{ text: "a", reply_message: { text: "b", mood: "calm" } }] },
  ];
  await deliver(
    messages.map((message) => ({ type: "message_new", object: { message } })),
    receiver,
  );
  expect(link.unknown.map(({ kind }) => kind).toSorted()).toEqual([
    "action.chat_theme_update",
    "attachment.whiteboard",
    "message.effect",
    "message.empty",
    "message.mood",
  ]);
});
