import { describe, expect, test } from "vitest";
import {
  type Asked,
  askedNow,
  type EarlierPlace,
  nextRequest,
  placeAfter,
  placesAfterAnswer,
  seenIn,
} from "./earlier-history.ts";

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS + 1_000;
const since = new Date(NOW - 30 * DAY_MS);
const oldest = (id: string, daysAgo: number) => ({ id, fromMe: false, atMs: NOW - daysAgo * DAY_MS });
const place = (id: string, daysAgo: number, tries = 0): EarlierPlace => ({ ...oldest(id, daysAgo), tries });

describe("the place after a part", () => {
  test.each([
    ["the phone says that it has more", null, oldest("b", 5), 0, place("b", 5)],
    ["it says nothing", null, oldest("b", 5), null, null],
    ["it has no more", place("b", 5), oldest("a", 6), 1, null],
    ["it does not give them", place("b", 5), oldest("a", 6), 3, null],
    ["the days are reached", null, oldest("b", 31), 0, null],
    ["a later part goes on", place("b", 5), oldest("a", 6), null, place("a", 6)],
    ["a later part is newer", place("b", 5), oldest("c", 4), null, place("b", 5)],
    ["a message of the same second", place("b", 5), oldest("a", 5), 2, place("a", 5)],
  ])("%s", (_, known, seen, end, expected) => {
    expect(placeAfter(known, { oldest: seen, end }, since)).toEqual(expected);
  });

  test("the last of a conversation's oldest second is its oldest message", () => {
    const messages = [
      ["c", 30],
      ["b", 20],
      ["a", 20],
    ].map(([id, messageTimestamp]) => ({
      message: { key: { id: String(id), fromMe: true }, messageTimestamp: Number(messageTimestamp) },
    }));
    expect(seenIn({ id: "1@lid", messages, endOfHistoryTransferType: 0 })).toEqual([
      { jid: "1@lid", oldest: { id: "a", fromMe: true, atMs: 20_000 }, end: 0 },
    ]);
    expect(seenIn({ id: "status@broadcast", messages })).toEqual([]);
  });
});

describe("the places after an answer", () => {
  const x = place("b", 5, 1);
  const y = place("y", 3);
  const z = place("z", 5, 5);
  const seen = (jid: string, oldest_: ReturnType<typeof oldest> | null, end: number | null = 2) => ({
    jid,
    oldest: oldest_,
    end,
  });

  test.each([
    ["earlier messages", 1, [seen("x", oldest("a", 6))], [["x", place("a", 6)]]],
    ["nothing told of the end", 1, [seen("x", oldest("a", 6), null)], [["x", place("a", 6)]]],
    ["the last messages", 1, [seen("x", oldest("a", 6), 1)], [["x", null]]],
    ["beyond the days", 1, [seen("x", oldest("a", 31))], [["x", null]]],
    ["the answer before once more", 1, [seen("x", oldest("b", 5))], [["x", x]]],
    ["the same answer each time", 1, [seen("z", oldest("z", 5))], [["z", null]], "z"],
    ["a chat without messages", 2, [seen("x", null)], [["x", null]]],
    ["no chat", 1, [], [["x", null]]],
    ["the same answer again", 0, [seen("x", oldest("b", 5))], [["x", x]]],
    ["no chat again", 0, [], []],
    ["the late answer of another chat", 1, [seen("y", oldest("y", 3))], [["y", y]]],
    [
      "the chat's other JID",
      1,
      [seen("x@lid", oldest("a", 6), null)],
      [
        ["x", null],
        ["x@lid", place("a", 6)],
      ],
    ],
    ["a chat that has ended", 0, [seen("w", oldest("a", 6))], []],
  ])("%s", (_, unanswered, chats, expected, jid = "x") => {
    const asked: Asked = { jid, atMs: NOW, count: 1, unanswered };
    const places = new Map(Object.entries({ x, y, z }));
    expect(placesAfterAnswer(places, asked, chats, since)).toEqual(expected);
  });
});

describe("what is asked next", () => {
  const pauses = { historyAskMs: 10_000, historyAnswerMs: 60_000 };
  const asked = (agoMs: number, more: Partial<Asked> = {}): Asked => ({
    jid: "x",
    atMs: NOW - agoMs,
    count: 1,
    unanswered: 0,
    ...more,
  });
  const fresh = place("x1", 2);
  const places = { x: fresh, y: place("y1", 1, 1), z: place("z1", 9) };
  const x = { jid: "x", place: fresh };
  const NEXT_DAY = { waitMs: DAY_MS - 1_000 };

  test.each([
    ["no chat is left", {}, null, null],
    ["the first request: least tried, then newest", places, null, x],
    ["soon after an answer", places, asked(4_000), { waitMs: 6_000 }],
    ["later", places, asked(10_000), x],
    ["an answer is due", places, asked(4_000, { unanswered: 1 }), { waitMs: 56_000 }],
    ["there was no answer", places, asked(60_000, { unanswered: 1 }), x],
    ["nor to the third", places, asked(60_000, { unanswered: 3 }), { waitMs: 180_000 }],
    ["the pause is a day at most", places, asked(0, { unanswered: 13 }), { waitMs: DAY_MS }],
    ["the phone never answers", places, asked(DAY_MS, { unanswered: 14 }), null],
    ["the day's requests are made", places, asked(0, { count: 200 }), NEXT_DAY],
    ["the next day", places, asked(DAY_MS, { count: 200 }), x],
    ["the clock was set back", places, asked(-5 * DAY_MS), { waitMs: DAY_MS }],
  ] as const)("%s", (_, chats, last, expected) => {
    expect(nextRequest(new Map(Object.entries(chats)), last, NOW, pauses)).toEqual(expected);
  });

  test("requests are counted by day, and without an answer in a row", () => {
    expect(askedNow("y", asked(1_000, { unanswered: 2 }), NOW)).toMatchObject({
      jid: "y",
      count: 2,
      unanswered: 3,
    });
    expect(askedNow("y", asked(2_000, { count: 9 }), NOW)).toMatchObject({ count: 1, unanswered: 1 });
  });
});
