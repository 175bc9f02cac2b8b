import { describe, expect, test } from "vitest";
import { Arguments } from "../call/arguments.ts";
import { readMarkup } from "./markup.ts";

const read = (markup: unknown) => readMarkup(new Arguments({ reply_markup: markup }));
const inline = (...row: readonly object[]) => ({ inline_keyboard: [row] });

const accepted: readonly (readonly [what: string, markup: unknown, result: object])[] = [
  [
    "data",
    inline({ text: "A", callback_data: "x".repeat(64) }),
    { inline: inline({ text: "A", callback_data: "x".repeat(64) }) },
  ],
  [
    "address",
    inline({ text: "A", url: "https://a.example/b" }),
    { inline: inline({ text: "A", url: "https://a.example/b" }) },
  ],
  [
    "link into the app",
    inline({ text: "A", url: "tg://user?id=1" }),
    { inline: inline({ text: "A", url: "tg://user?id=1" }) },
  ],
  [
    "text in a form",
    JSON.stringify(inline({ text: "A", callback_data: "a" })),
    { inline: inline({ text: "A", callback_data: "a" }) },
  ],
  [
    "look",
    inline({ text: "A", callback_data: "a", style: "danger" }),
    { inline: inline({ text: "A", callback_data: "a", style: "danger" }) },
  ],
  [
    "reply keyboard",
    { keyboard: [["Yes"], [{ text: "No" }]] },
    { keyboard: { rows: [[{ text: "Yes" }], [{ text: "No" }]], oneTime: false } },
  ],
  ["removal", { remove_keyboard: true }, { keyboard: null }],
  ["no rows", { inline_keyboard: [] }, {}],
  ["empty rows", { inline_keyboard: [[], []] }, {}],
  ["an empty reply keyboard", { keyboard: [] }, {}],
  ["nothing", undefined, {}],
];

const inlineFault = "Bad Request: can't parse inline keyboard button:";

const refused: readonly (readonly [what: string, markup: unknown, description: string])[] = [
  [
    "data over 64 bytes",
    inline({ text: "A", callback_data: "я".repeat(33) }),
    "Bad Request: BUTTON_DATA_INVALID",
  ],
  [
    "data without a byte",
    inline({ text: "A", callback_data: "" }),
    `${inlineFault} Text buttons are unallowed in the inline keyboard`,
  ],
  ["no action", inline({ text: "A" }), `${inlineFault} Text buttons are unallowed in the inline keyboard`],
  [
    "two actions",
    inline({ text: "A", callback_data: "a", url: "https://a.b" }),
    `${inlineFault} exactly one of the optional fields must be used`,
  ],
  ["no text", inline({ callback_data: "a" }), `${inlineFault} Can't find field "text"`],
  ["address without a host", inline({ text: "A", url: "https://" }), "Bad Request: BUTTON_URL_INVALID"],
  ["address of another kind", inline({ text: "A", url: "ftp://a.b/c" }), "Bad Request: BUTTON_URL_INVALID"],
  [
    "address of this machine",
    inline({ text: "A", url: "http://localhost" }),
    "Bad Request: BUTTON_URL_INVALID",
  ],
  [
    "rows that are no arrays",
    { inline_keyboard: [{}] },
    'Bad Request: field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
  ],
  [
    "keyboard that is no array",
    { keyboard: {} },
    'Bad Request: field "keyboard" of the ReplyKeyboardMarkup must be an Array',
  ],
  [
    "wrong button",
    { keyboard: [[5]] },
    "Bad Request: can't parse keyboard button: KeyboardButton must be a String or an Object",
  ],
  [
    "too many buttons",
    { inline_keyboard: Array.from({ length: 301 }, () => [{ text: "A", callback_data: "a" }]) },
    "Bad Request: reply markup is too long",
  ],
];

describe("reply_markup", () => {
  test.each(accepted)("accepts %s", (_what, markup, result) => {
    expect(read(markup)).toEqual(result);
  });

  test.each(refused)("refuses %s", (_what, markup, description) => {
    expect(() => read(markup)).toThrow(description);
  });
});
