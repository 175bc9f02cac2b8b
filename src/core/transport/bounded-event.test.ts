import { expect, test } from "vitest";
import { boundEvent, MAX_NAME_BYTES, MAX_TEXT_BYTES } from "./bounded-event.ts";
import { clipText } from "./clipped-text.ts";
import { findShapeErrors } from "./event-shape.ts";
import type { InboundMessage, TransportEvent } from "./events.ts";

test.each([
  ["nothing", "abc", 3, "abc"],
  ["letters", "abcdef", 3, "abc"],
  ["half a code point", "aяяя", 4, "aя"],
  ["half an emoji", "ab😀", 5, "ab"],
  ["half a family", "ab👨‍👩‍👧‍👦c", 14, "ab"],
  ["half an accented letter", "xe\u0301", 2, "x"],
  ["a surrogate alone", "ab\ud83dcd", 5, "ab\ud83d"],
  ["a flag", "🇩🇪🇫🇷", 12, "🇩🇪"],
  // A pile of accents is no character that a person wrote.
  ["a pile of accents", `a${"\u0301".repeat(400)}`, 301, `a${"\u0301".repeat(150)}`],
])("cuts %s", (_name, text, bytes, expected) => {
  expect(clipText(text, bytes)).toBe(expected);
});

const LONG = "ж".repeat(100_000);
const AT = new Date("2030-01-01T00:00:00Z");
const REF = { chatType: "whatsapp", chatId: "79001", externalId: "m1" } as const;
const PERSON = { id: "p", name: LONG, username: LONG, phone: LONG };
const FILE = { token: "t", name: LONG, mimeType: LONG };

function message(more: Partial<InboundMessage>): TransportEvent {
  const about = { direction: "in", sentAt: AT, contact: { name: "Ann" } } as const;
  return { kind: "message", message: { ...REF, ...about, body: { type: "text", text: "x" }, ...more } };
}

/** Each with the fields that every messenger may fill with as much as it likes, and how many of them are texts. */
const EVENTS: readonly (readonly [string, TransportEvent, number])[] = [
  ["a text", message({ body: { type: "text", text: LONG } }), 1],
  ["a caption", message({ body: { type: "media", media: "image", file: FILE, text: LONG } }), 1],
  ["a place", message({ body: { type: "geo", latitude: 1, longitude: 2, text: LONG } }), 1],
  ["a contact card", message({ body: { type: "vcard", vcard: LONG } }), 1],
  ["something else", message({ body: { type: "unsupported", what: LONG } }), 0],
  ["the words of something else", message({ body: { type: "unsupported", what: "poll", text: LONG } }), 1],
  [
    "answers",
    message({
      answers: [
        { type: LONG, payload: "{}" },
        { type: "form", payload: LONG },
      ],
    }),
    1,
  ],
  ["names", message({ contact: { ...PERSON, avatar: FILE }, sender: { id: "s", name: LONG } }), 0],
  ["a button", message({ pressed: { text: LONG, payload: LONG } }), 2],
  ["a post", message({ post: { id: "p", src: LONG, author: LONG, description: LONG, more: LONG } }), 1],
  ["a listing", message({ advert: { id: "a", title: LONG, url: LONG, price: LONG } }), 0],
  [
    "a quote",
    message({
      quoted: { externalId: "q", authorName: LONG, link: LONG, body: { type: "text", text: LONG } },
    }),
    1,
  ],
  ["an edit", { kind: "edited", ref: REF, at: AT, body: { type: "text", text: LONG } }, 1],
  [
    "a failure",
    {
      kind: "failed",
      ref: REF,
      at: AT,
      error: { code: "GENERAL_ERROR", description: LONG, data: LONG },
    },
    0,
  ],
  [
    "contacts",
    { kind: "contactNames", names: [{ chatType: "whatsapp", chatId: "79001", name: LONG, at: AT }] },
    0,
  ],
  ["a group", { kind: "group", ref: REF, at: AT, title: LONG, by: PERSON, picture: FILE }, 0],
  [
    "members",
    { kind: "members", ref: REF, at: AT, title: LONG, members: [{ change: "added", person: PERSON }] },
    0,
  ],
  [
    "a profile",
    {
      kind: "link",
      state: {
        status: "active",
        profile: { messengerId: "1", name: LONG, username: LONG, phone: LONG, url: LONG },
      },
    },
    0,
  ],
  ["a hint", { kind: "link", state: { status: "init", reason: "wait_for_password", hint: LONG } }, 0],
  ["a loss", { kind: "link", state: { status: "lost", detail: LONG } }, 0],
  ["a cooldown", { kind: "cooldown", cooldown: { until: AT, reason: LONG } }, 0],
];

test.each(EVENTS)("%s", (_name, event, texts) => {
  const { event: bounded, whole } = boundEvent(event);
  expect(findShapeErrors(bounded)).toEqual([]);
  expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThan(
    texts * MAX_TEXT_BYTES + 5 * 8 * MAX_NAME_BYTES,
  );
  expect(whole).toBe(texts === 0 ? null : Array.from({ length: texts }, () => LONG).join("\n\n"));
});

test("a text is cut where it is too long, and says so", () => {
  const { event } = boundEvent(message({ body: { type: "text", text: LONG } }));
  const text = event.kind === "message" && event.message.body.type === "text" ? event.message.body.text : "";
  expect(text).toMatch(/^ж+…$/);
  expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_TEXT_BYTES - 3);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
});

test("what is short stays as it is", () => {
  for (const [, event] of EVENTS) {
    const short = JSON.parse(JSON.stringify(event).replaceAll(LONG, "short")) as TransportEvent;
    expect(boundEvent(short)).toEqual({ event: short, whole: null });
  }
});
