import { describe, expect, test } from "vitest";
import { type Placed, sameRow, threadRows } from "./rows.ts";

const NOON = new Date(2026, 4, 5, 12).getTime();
const minutes = (count: number) => NOON + count * 60_000;
let last = 0;
function message(time: number, of: Partial<Placed> = {}): Placed {
  const base = {
    type: "text",
    isOut: false,
    author: "Ann",
    text: "hi",
    isDeleted: false,
    hasQuote: false,
    isAccepted: true,
  };
  return { ...base, id: `m${++last}`, time, ...of };
}
/** Each row as a word: `day`, `unread 2`, `first`, `next`, with the size of an album. */
const shape = (messages: readonly Placed[], unreadFrom: string | null = null) =>
  threadRows(messages, unreadFrom).map((row) => {
    if (row.kind === "day") return "day";
    if (row.kind === "entry") return `note ${row.key}`;
    if (row.kind === "unread") return `unread ${row.count}`;
    return `${row.isFirst ? "first" : "next"}${row.messages.length > 1 ? ` album ${row.messages.length}` : ""}`;
  });
const picture = { type: "image", text: "" };

describe("rows of a thread", () => {
  test.each<[string, readonly Placed[], readonly string[]]>([
    ["nothing", [], []],
    ["one author within five minutes", [message(minutes(0)), message(minutes(5))], ["day", "first", "next"]],
    ["one author later", [message(minutes(0)), message(minutes(5.1))], ["day", "first", "first"]],
    ["two authors", [message(minutes(0)), message(minutes(1), { author: "Bo" })], ["day", "first", "first"]],
    [
      "both directions",
      [message(minutes(0)), message(minutes(1), { isOut: true })],
      ["day", "first", "first"],
    ],
    ["midnight between", [message(minutes(719)), message(minutes(721))], ["day", "first", "day", "first"]],
    ["an album", [message(NOON, picture), message(NOON + 1, picture)], ["day", "first album 2"]],
    [
      "a picture that waits or has failed",
      [
        message(NOON, picture),
        message(NOON + 1, { ...picture, isAccepted: false }),
        message(NOON + 2, picture),
        message(NOON + 3, picture),
      ],
      ["day", "first", "next", "next album 2"],
    ],
    [
      "a caption ends an album",
      [message(NOON, picture), message(NOON, { type: "image" }), message(NOON, picture)],
      ["day", "first album 2", "next"],
    ],
    [
      "pictures at different times",
      [message(NOON, picture), message(minutes(1), picture)],
      ["day", "first", "next"],
    ],
    [
      "a deleted picture stands alone",
      [message(NOON, { ...picture, isDeleted: true }), message(NOON, picture)],
      ["day", "first", "next"],
    ],
    [
      "eleven pictures",
      Array.from({ length: 11 }, () => message(NOON, picture)),
      ["day", "first album 10", "next"],
    ],
  ])("%s", (_, messages, rows) => expect(shape(messages)).toEqual(rows));

  test("the unread line counts the inbound messages after it, and splits a group and an album", () => {
    const texts = [message(NOON), message(NOON), message(NOON, { isOut: true }), message(NOON)];
    expect(shape(texts, texts[1]?.id)).toEqual(["day", "first", "unread 2", "first", "first", "first"]);
    const pictures = [message(NOON, picture), message(NOON, picture)];
    expect(shape(pictures, pictures[1]?.id)).toEqual(["day", "first", "unread 1", "first"]);
  });

  test("a row that has not changed stays the same object when others are added before and after it", () => {
    const album = [message(NOON, picture), message(NOON + 1, picture)];
    const texts = [message(minutes(2)), message(minutes(3))];
    const shown = threadRows([...album, ...texts]);
    const same = (now: ReturnType<typeof threadRows>) =>
      shown.map((row) => {
        const found = now.find(({ key }) => key === row.key);
        return found !== undefined && sameRow(row, found) === row;
      });
    expect(same(threadRows([...album, ...texts]))).toEqual([false, true, true, true]);
    const earlier = message(minutes(-1));
    expect(same(threadRows([earlier, ...album, ...texts, message(minutes(4))]))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    const [first = message(NOON), ...others] = album;
    const edited = [first, ...others, { ...texts[0], text: "edited" } as Placed, texts[1] as Placed];
    expect(same(threadRows(edited))).toEqual([false, true, false, true]);
    expect(same(threadRows([first, message(NOON + 2, picture), ...texts]))[1]).toBe(false);
  });

  test("a day on which the clocks change is one day", () => {
    const hours = Array.from({ length: 24 * 400 }, (_, hour) => message(NOON + hour * 3_600_000));
    const days = threadRows(hours).filter(({ kind }) => kind === "day");
    const expected = new Set(hours.map(({ time }) => new Date(time).toDateString()));
    expect(days.length).toBe(expected.size);
  });

  test("10,000 rows have distinct keys", () => {
    const rows = threadRows(Array.from({ length: 10_000 }, (_, index) => message(minutes(index))));
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });
});

test("lines that only employees see are between the messages, and not deleted ones", () => {
  const at = (time: number) => new Date(time).toISOString();
  const start = new Date(2026, 0, 5, 12).getTime();
  const line = (id: string, minute: number, deleted: string | null = null) => ({
    id,
    order: String(minute).padStart(3, "0"),
    at: at(start + minute * 60_000),
    deleted_at: deleted,
  });
  const said = (minute: number) => ({
    ...message(start + minute * 60_000),
    order: String(minute).padStart(3, "0"),
  });
  const lines = [line("a", 1), line("b", 2, at(start)), line("c", 9)];
  const rows = threadRows([said(0), said(2), said(3)], null, lines);
  expect(rows.map(({ kind, key }) => (kind === "entry" ? key : kind))).toEqual([
    "day",
    "bubble",
    "a",
    "bubble",
    "bubble",
    "c",
  ]);
});
