import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Abilities } from "../model.ts";
import { loadTexts } from "../texts/texts.ts";
import { moveTray, setTray, trayOf } from "./chosen-files.ts";
import { acceptOf, addFiles, captionPlace, faultOf, kindOf, takesFiles } from "./tray.ts";

beforeAll(() => loadTexts("en"));

type Limits = Partial<Record<keyof Abilities["media"], { max_bytes: number; max_caption_length?: number }>>;

function abilities(limits: Limits): Abilities {
  const media = Object.fromEntries(
    Object.entries(limits).map(([kind, limit]) => [kind, { max_caption_length: null, ...limit }]),
  );
  return {
    can_send: true,
    why_not: null,
    channel: null,
    text: { max_length: 100, max_length_with_buttons: 100 },
    media,
    recordings: null,
    quote: false,
    edit: null,
    delete: false,
    marks: [],
    keyboard: null,
    max_payload_length: null,
    templates: false,
    window: null,
  };
}
const only = abilities({ image: { max_bytes: 1000 }, audio: { max_bytes: 10 } });

test.each([
  ["image/png", "image"],
  ["image/svg+xml", "document"],
  ["audio/ogg", "audio"],
  ["video/mp4", "video"],
  ["application/pdf", "document"],
  ["", "document"],
])("kind of %j", (type, kind) => expect(kindOf({ type })).toBe(kind));

test.each([
  ["image/png", 1000, null],
  ["image/png", 1001, "“a” is larger than 1 KB, which this messenger takes"],
  ["application/pdf", 1, "This messenger does not take files like “a”"],
  ["image/png", 0, "“a” is empty"],
])("%s of %d bytes", (type, size, fault) => expect(faultOf({ name: "a", type, size }, only)).toBe(fault));

test.each([
  [1, null],
  [50 * 1024 * 1024, null],
  [50 * 1024 * 1024 + 1, "“a” is larger than 52 MB, the most that can be sent"],
])("while the channel's capabilities are unknown, %d bytes", (size, fault) =>
  expect(faultOf({ name: "a", type: "x/y", size }, null)).toBe(fault),
);

const ends = { ends_at: null, code: "24_HOURS_EXCEEDED" } as const;
test.each<[string, Abilities | null, boolean]>([
  ["nothing known yet", null, true],
  ["some kinds", only, true],
  ["no kind", abilities({}), false],
  ["a channel that cannot send", { ...only, can_send: false }, false],
  ["an open window", { ...only, window: { ...ends, is_open: true } }, true],
  ["a window that has closed", { ...only, window: { ...ends, is_open: false } }, false],
])("files with the next message: %s", (_, given, takes) => expect(takesFiles(given)).toBe(takes));

test.each([
  [only, "image/*,audio/*"],
  [abilities({ image: { max_bytes: 1 }, document: { max_bytes: 1 } }), ""],
])("the chooser offers what can be sent", (given, accept) => expect(acceptOf(given)).toBe(accept));

describe("where the text goes", () => {
  const telegram = abilities({
    image: { max_bytes: 1, max_caption_length: 5 },
    audio: { max_bytes: 1 },
  });
  const [picture, sound] = [{ type: "image/png" }, { type: "audio/ogg" }];
  test.each([
    ["no file", "Hi", [], telegram, false, null],
    ["no text", " \n", [picture], telegram, false, null],
    ["a picture", "Hello ", [picture], telegram, false, "with"],
    ["a longer text", "Hello!", [picture], telegram, false, "after"],
    ["audio, which has no caption", "Hi", [sound], telegram, false, "after"],
    ["by the last file", "Hi", [sound, picture], telegram, false, "with"],
    ["a text with buttons", "Hi", [picture], telegram, true, "after"],
    ["a channel that is not known yet", "Hi", [picture], null, false, "after"],
  ])("%s", (_, text, files, known, hasButtons, expected) =>
    expect(captionPlace(text, files, { abilities: known, hasButtons })).toBe(expected),
  );
});

describe("more files than can be sent at once", () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, index) => new File(["x"], `${index}.txt`));
  const fault = "Up to 20 files can be sent at once. The others were not added.";
  afterEach(() => {
    for (const place of ["a", "b"]) setTray(place, []);
  });

  test.each([
    [0, 20, 20, null],
    [0, 21, 20, fault],
    [19, 2, 20, fault],
    [20, 1, 20, fault],
    [20, 0, 20, null],
  ])("%d chosen, then %d", (before, more, chosen, expected) => {
    addFiles("a", files(before), null);
    expect(addFiles("a", files(more), null)).toBe(expected);
    expect(trayOf("a")).toHaveLength(chosen);
  });

  test("files that are moved to another place stay", () => {
    for (const place of ["a", "b"]) addFiles(place, files(15), null);
    moveTray("a", "b");
    expect(addFiles("b", files(1), null)).toBe(fault);
    expect([trayOf("a").length, trayOf("b").length]).toEqual([0, 30]);
  });
});
