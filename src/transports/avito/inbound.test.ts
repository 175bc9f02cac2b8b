import { describe, expect, it } from "vitest";
import { TEST_CALLBACK_SECRET } from "../../core/transport/conformance.ts";
import type { TransportEvent } from "../../core/transport/events.ts";
import { toBody } from "./body.ts";
import { createClient, oneToken } from "./client.ts";
import { deliver, receive } from "./inbound/callback.ts";
import { firstNewSecond } from "./inbound/receiving.ts";
import { largest, readMessages } from "./inbound/update.ts";
import { CHAT, linkTo, sample, sampleNames, TOKEN } from "./testing.ts";

const id = (last: number): string => `bdcc5bac2d00345f1ccfb3c7a2a6${String(last).padStart(4, "0")}`;
const picture = "https://img.avito.st/1280x960/1.jpg";

/** The expected body of each sample. */
const BODIES: Readonly<Record<string, unknown>> = {
  text: { type: "text", text: "Здравствуйте! Ещё продаёте?" },
  "text-quote": { type: "text", text: "Да, это" },
  link: { type: "text", text: "Смотрите https://shop.example/1" },
  "link-other-text": { type: "text", text: "Наш сайт (https://shop.example/)" },
  item: {
    type: "text",
    text: "Mazda 3 2008\n300 000 ₽\nhttps://avito.ru/moskva/avtomobili/mazda_3_1768287444",
  },
  image: {
    type: "media",
    media: "image",
    file: { token: `url:${picture}`, mimeType: "image/jpeg" },
    text: "",
  },
  voice: {
    type: "media",
    media: "audio",
    file: { token: "voice:ea3d1c1e4bd94f8e9ff1a1bc24cf1a55", mimeType: "audio/mp4", name: "voice.m4a" },
    text: "",
  },
  location: { type: "geo", latitude: 55.78, longitude: 37.59, text: "Москва, Лесная улица, 7" },
  call: { type: "missing_call" },
  "app-call": { type: "missing_call" },
  system: { type: "text", text: "Предложите скидку" },
  "system-without-text": null,
  notice: { type: "text", text: "Покупатель посмотрел телефон" },
  "bot-text": { type: "text", text: "Предложена скидка 5 %" },
  "avito-chat": { type: "text", text: "Ваше объявление проверено" },
  "link-beside-words": { type: "text", text: "Вот https://shop.example/2" },
  "place-with-name": {
    type: "geo",
    latitude: 55.601,
    longitude: 37.604,
    text: "Склад\nМосква, Варшавское шоссе, 1",
  },
  "picture-with-words": {
    type: "media",
    media: "image",
    file: { token: "url:https://img.avito.st/1280x960/2.jpg", mimeType: "image/jpeg" },
    text: "Такой цвет есть?",
  },
  "file-with-address": {
    type: "media",
    media: "document",
    file: { token: "url:https://files.avito.st/1.pdf", name: "Договор.pdf" },
    text: "",
  },
  "new-kind": { type: "unsupported", what: "suggestions", text: "Ещё продаёте?\nТорг уместен?" },
  "new-field": { type: "text", text: "Заберу завтра" },
  "quoted-place": { type: "text", text: "Туда подъехать?" },
  deleted: null,
  file: { type: "unsupported", what: "file" },
  video: { type: "unsupported", what: "video" },
  own: null,
  "profile-chat": { type: "text", text: "Привет" },
  read: { type: "text", text: "Прочитано" },
};

/** Nothing listens at this address, so the chat's name stays unknown. */
async function eventsOf(raw: unknown) {
  const link = linkTo("http://127.0.0.1:9");
  await deliver(raw, link, createClient(link, oneToken(TOKEN)));
  await link.dispose();
  return { events: link.events, deadLetters: link.deadLetters };
}

/** The kinds that the connector does not know. */
async function unknownOf(raw: unknown): Promise<string[]> {
  const link = linkTo("http://127.0.0.1:9");
  await deliver(raw, link, createClient(link, oneToken(TOKEN)));
  await link.dispose();
  return link.unknown.map(({ kind }) => kind);
}

/** The sample of a text with other fields of the message. */
function textWith(fields: object) {
  const { payload } = sample("text") as { payload: { value: object } };
  return { payload: { ...payload, value: { ...payload.value, ...fields } } };
}

const bodyOf = (event: TransportEvent | undefined): unknown =>
  event?.kind === "message" ? event.message.body : null;

describe("webhook payloads", () => {
  it("every sample is in the table", () => {
    expect(Object.keys(BODIES).toSorted()).toEqual(sampleNames().toSorted());
  });

  it.each(Object.entries(BODIES))("%s", async (name, body) => {
    const { events } = await eventsOf(sample(name));
    expect(bodyOf(events[0])).toEqual(body);
  });

  it("maps sender, chat, time and quoted message", async () => {
    const { events } = await eventsOf(sample("text-quote"));
    expect(events).toEqual([
      {
        kind: "message",
        message: {
          chatType: "avito",
          chatId: CHAT,
          externalId: id(2),
          direction: "in",
          sentAt: new Date(1_690_000_000_000),
          contact: { name: "" },
          advert: { id: "1768287444" },
          body: { type: "text", text: "Да, это" },
          quoted: { externalId: id(1), body: { type: "text", text: "Какой цвет?" } },
        },
      },
    ]);
  });

  it.each(["notice", "bot-text", "avito-chat", "system"])("a notice of Avito's: %s", async (name) => {
    expect((await eventsOf(sample(name))).events).toMatchObject([{ message: { isSystem: true } }]);
  });

  it("what people write is no notice", async () => {
    for (const name of ["text", "profile-chat"])
      expect((await eventsOf(sample(name))).events).not.toMatchObject([{ message: { isSystem: true } }]);
  });

  it.each<[string, object, object]>([
    ["words", { content: { text: 5000 } }, { body: { type: "text", text: "5000" } }],
    ["an id", { id: 5551234567 }, { externalId: "5551234567" }],
    ["a time", { created: "1690000000" }, { sentAt: new Date(1_690_000_000_000) }],
    ["no time but a date", { created: null }, { sentAt: new Date("2023-07-22T04:26:40Z") }],
    [
      "coordinates",
      { type: "location", content: { location: { lat: "55.601", lon: "37.604", title: "Склад" } } },
      { body: { type: "geo", latitude: 55.601, longitude: 37.604, text: "Склад" } },
    ],
    [
      "a link of which the text is a part",
      { type: "link", content: { link: { text: "habr.com", url: "https://habr.com/ru/" } } },
      { body: { type: "text", text: "https://habr.com/ru/" } },
    ],
  ])("numbers and texts: %s", async (_, fields, expected) =>
    expect((await eventsOf(textWith(fields))).events).toMatchObject([{ message: expected }]),
  );

  it.each([
    ["no words", { content: { text: "" } }],
    ["a call that was answered", { type: "call", content: { call: { status: "answered" } } }],
  ])("emits no message for %s, but leaves a trace", async (_, fields) => {
    expect(await eventsOf(textWith(fields))).toEqual({ events: [], deadLetters: [] });
    expect(await unknownOf(textWith(fields))).toEqual(["message.empty"]);
  });

  it("names the listing if the chat cannot be queried", async () => {
    const { events } = await eventsOf(sample("text"));
    expect(events).toMatchObject([{ message: { advert: { id: "1768287444" } } }]);
  });

  it("quotes a place with its name", async () => {
    const body = { type: "geo", latitude: 55.6, longitude: 37.6, text: "Склад\nМосква, Варшавское шоссе, 1" };
    expect((await eventsOf(sample("quoted-place"))).events).toMatchObject([
      { message: { quoted: { body } } },
    ]);
  });

  it.each([
    ["new-kind", ["type.suggestions", "content.suggestions"]],
    ["new-field", ["content.delivery"]],
    ["text", []],
    ["system-without-text", ["message.empty"]],
  ])("reports what it does not know: %s", async (name, kinds) =>
    expect(await unknownOf(sample(name))).toEqual(kinds),
  );

  it("maps a deletion, and leaves the account's own messages to the session", async () => {
    const ref = { chatType: "avito", chatId: CHAT, externalId: id(1) };
    expect((await eventsOf(sample("deleted"))).events).toMatchObject([{ kind: "deleted", ref }]);
    expect(await eventsOf(sample("own"))).toEqual({ events: [], deadLetters: [] });
  });

  it.each([
    ["no JSON", "<html>"],
    ["no value", { payload: { type: "message" } }],
    ["no id", { payload: { type: "message", value: { chat_id: CHAT } } }],
    ["no chat", { payload: { type: "message", value: { id: id(1) } } }],
  ])("stores a dead letter: %s", async (_, raw) => {
    const { events, deadLetters } = await eventsOf(raw);
    expect([events.length, deadLetters.length]).toEqual([0, 1]);
  });

  it.each([
    [
      "another account's message",
      { type: "message", value: { id: id(1), chat_id: CHAT, user_id: 1, type: "text" } },
    ],
    ["an event of another type", { type: "chat", value: { id: "1" } }],
  ])("emits nothing for %s", async (_, payload) => {
    expect(await eventsOf({ payload })).toEqual({ events: [], deadLetters: [] });
  });

  it.each([
    ["the secret", "POST", `/${TEST_CALLBACK_SECRET}`, 200],
    ["another secret", "POST", `/${"0".repeat(64)}`, 404],
    ["no secret", "POST", "", 404],
    ["a longer path", "POST", `/${TEST_CALLBACK_SECRET}/x`, 404],
    ["another method", "GET", `/${TEST_CALLBACK_SECRET}`, 405],
  ])("a call with %s in the path", async (_, method, path, status) => {
    const link = linkTo("http://127.0.0.1:9");
    const body = Buffer.from(JSON.stringify(sample("own")));
    const reply = await receive({ method, path, query: new URLSearchParams(), headers: {}, body }, link);
    await link.dispose();
    expect(reply.status).toBe(status);
  });

  it("does not acknowledge an event that is not stored", async () => {
    const link = linkTo("http://127.0.0.1:9");
    link.onEmit(() => Promise.reject(new Error("the database is away")));
    const body = Buffer.from(JSON.stringify(sample("text")));
    const request = {
      method: "POST",
      path: `/${TEST_CALLBACK_SECRET}`,
      query: new URLSearchParams(),
      headers: {},
      body,
    };
    await expect(receive(request, link)).rejects.toThrow("away");
    await link.dispose();
  });
});

describe("helpers", () => {
  it.each([
    [{ "32x32": "https://a/s", "1280x960": "https://a/l", "640x480": "https://a/m" }, "https://a/l"],
    [{ odd: "https://a/o" }, "https://a/o"],
    [undefined, undefined],
  ])("the largest of %j", (sizes, url) => {
    expect(largest(sizes)).toBe(url);
  });

  it("reads lists of messages in both forms", () => {
    const messages = [{ id: "1", type: "text", content: { text: "x" } }];
    expect(readMessages(messages)).toEqual(messages);
    expect(readMessages({ messages, meta: { has_more: false } })).toEqual(messages);
    expect(readMessages("odd")).toEqual([]);
  });

  it("a location without coordinates becomes its address", () => {
    expect(toBody("location", { location: { text: "Лесная, 7" } })).toEqual({
      type: "text",
      text: "Лесная, 7",
    });
  });

  it.each([
    ["long before", 1_000, 2_000, 1_001],
    ["just now", 1_998, 2_000, 1_998],
    ["never", 0, 2_000, 1],
  ])("the first new second, when the newest message was written %s", (_, newest, now, first) => {
    expect(firstNewSecond(newest, now)).toBe(first);
  });
});
