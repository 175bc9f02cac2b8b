import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../errors.ts";
import type { KeyboardShape } from "../transport/definition.ts";
import type { Keyboard } from "../transport/keyboard.ts";
import { parseKeyboard } from "./keyboard.ts";

/** The invalid fields of a refusal as "field: message". */
function faultsOf(shape: KeyboardShape, raw: unknown): string[] {
  try {
    parseKeyboard({ shape }, raw);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "MESSAGE_KEYBOARD_INVALID") throw error;
    const { fields } = error.data as { fields: { field: string; message: string }[] };
    return fields.map(({ field, message }) => `${field}: ${message}`);
  }
  throw new Error("The keyboard was not refused");
}

const times = <T>(count: number, button: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => button(index));

type Accepted = readonly [name: string, raw: unknown, keyboard: Keyboard | undefined];
type Refused = readonly [name: string, raw: unknown, faults: readonly string[]];

function accepts(shape: KeyboardShape, cases: readonly Accepted[]): void {
  it.each(cases)("%s", (_, raw, keyboard) => expect(parseKeyboard({ shape }, raw)).toEqual(keyboard));
}
function refuses(shape: KeyboardShape, cases: readonly Refused[]): void {
  it.each(cases)("refuses %s", (_, raw, faults) => expect(faultsOf(shape, raw)).toEqual(faults));
}

describe("interactive (wapi)", () => {
  it("numbers the buttons without a payload, if asked to", () => {
    const raw = { buttons: [{ text: "A", payload: "a" }, [{ text: "B" }, { text: "C", payload: null }]] };
    expect(parseKeyboard({ shape: "interactive", numbersButtons: true }, raw)).toEqual({
      kind: "interactive",
      buttons: [
        { text: "A", payload: "a" },
        { text: "B", payload: "2" },
        { text: "C", payload: "3" },
      ],
    });
    expect(faultsOf("interactive", raw)).toHaveLength(2);
  });

  const keyboard = (...buttons: { text: string; payload: string }[]): Keyboard => ({
    kind: "interactive",
    buttons,
  });
  const button = (index: number) => ({ text: `B${index}`, payload: `p${index}` });

  accepts("interactive", [
    [
      "a button with its type",
      { buttons: [{ ...button(1), type: "text" }] },
      keyboard({ text: "B1", payload: "p1" }),
    ],
    ["a button without type", { buttons: [{ ...button(1), type: null }] }, keyboard(button(1))],
    ["ten buttons", { buttons: times(10, button) }, keyboard(...times(10, button))],
    ["only the first ten of eleven", { buttons: times(11, button) }, keyboard(...times(10, button))],
    [
      "only the first ten, whatever the eleventh is",
      { buttons: [...times(10, button), 5] },
      keyboard(...times(10, button)),
    ],
    [
      "nothing beyond the tenth in place of a label that is too long",
      { buttons: times(11, (index) => ({ ...button(index), text: index === 0 ? "x".repeat(21) : "B" })) },
      keyboard(...times(9, (index) => ({ text: "B", payload: `p${index + 1}` }))),
    ],
    [
      "labels of 20 characters, not of 21",
      {
        buttons: [
          { text: "x".repeat(20), payload: "a" },
          { text: "x".repeat(21), payload: "b" },
        ],
      },
      keyboard({ text: "x".repeat(20), payload: "a" }),
    ],
    [
      "20 emoji, which are 20 characters",
      { buttons: [{ text: "👍".repeat(20), payload: "a" }] },
      keyboard({ text: "👍".repeat(20), payload: "a" }),
    ],
    ["no keyboard when no button is left", { buttons: [{ text: "x".repeat(21), payload: "b" }] }, undefined],
    ["no keyboard without buttons", { buttons: [] }, undefined],
  ]);
  refuses("interactive", [
    ["no buttons", {}, ["keyboard.buttons: is required"]],
    ["buttons as null", { buttons: null }, ["keyboard.buttons: is required"]],
    ["buttons as an object", { buttons: {} }, ["keyboard.buttons: must be an array"]],
    ["a button as a text", { buttons: ["A"] }, ["keyboard.buttons[0]: must be an object"]],
    [
      "every fault at once",
      { buttons: [{}, { text: 5, payload: "" }, { text: "A", payload: null, type: 1 }] },
      [
        "keyboard.buttons[0].text: is required",
        "keyboard.buttons[0].payload: is required",
        "keyboard.buttons[1].text: must be a non-empty string",
        "keyboard.buttons[1].payload: must be a non-empty string",
        "keyboard.buttons[2].payload: is required",
        "keyboard.buttons[2].type: must be a string",
      ],
    ],
  ]);
});

describe("markup, inline (Telegram bot)", () => {
  type Inline = Extract<Keyboard, { kind: "inline" }>["rows"];
  const raw = (...buttons: unknown[]) => ({ reply_markup: "inline", buttons });
  const keyboard = (...rows: Inline): Keyboard => ({ kind: "inline", rows });
  const button = (index: number) => ({ text: `B${index}`, callback_data: `p${index}` });
  const parsed = (index: number) => ({ text: `B${index}`, payload: `p${index}` });
  const A = { text: "A", payload: "a" };

  accepts("markup", [
    [
      "a flat list as one button per row",
      raw(button(1), button(2)),
      keyboard([{ text: "B1", payload: "p1" }], [{ text: "B2", payload: "p2" }]),
    ],
    ["rows", raw([button(1), button(2)], [button(3)]), keyboard([parsed(1), parsed(2)], [parsed(3)])],
    ["rows beside single buttons", raw([button(1)], button(2)), keyboard([parsed(1)], [parsed(2)])],
    ["the markup that is meant when none is given", { buttons: [button(1)] }, keyboard([parsed(1)])],
    [
      "a link",
      raw({ text: "A", url: "https://x.example/a", callback_data: null }),
      keyboard([{ text: "A", url: "https://x.example/a" }]),
    ],
    ["a link into Telegram", raw({ text: "A", url: "tg://x" }), keyboard([{ text: "A", url: "tg://x" }])],
    [
      "twelve buttons over all rows",
      raw(times(11, button), [button(11), button(12), button(13)], [button(14)]),
      keyboard(times(11, parsed), [parsed(11)]),
    ],
    ["only the first twelve of thirteen", raw(times(13, button)), keyboard(times(12, parsed))],
    ["only the first twelve, whatever the next is", raw(times(12, button), [5]), keyboard(times(12, parsed))],
    [
      "nothing beyond the twelfth in place of a label that is too long",
      raw([{ ...button(0), text: "x".repeat(65) }, ...times(12, (index) => button(index + 1))]),
      keyboard(times(11, (index) => parsed(index + 1))),
    ],
    [
      "labels of 64 characters, not of 65",
      raw(
        { text: "x".repeat(64), callback_data: "a" },
        { text: "x".repeat(65), callback_data: "b" },
        { text: "👍".repeat(64), callback_data: "c" },
      ),
      keyboard([{ text: "x".repeat(64), payload: "a" }], [{ text: "👍".repeat(64), payload: "c" }]),
    ],
    [
      "payloads of 1 to 64 bytes",
      raw(
        [{ text: "A", callback_data: "a" }],
        [{ text: "C", callback_data: "x".repeat(64) }],
        [{ text: "E", callback_data: "ж".repeat(32) }],
      ),
      keyboard([A], [{ text: "C", payload: "x".repeat(64) }], [{ text: "E", payload: "ж".repeat(32) }]),
    ],
    ["no keyboard when no button is left", raw({ text: "x".repeat(65), callback_data: "a" }, []), undefined],
    ["no keyboard without buttons", raw(), undefined],
  ]);
  refuses("markup", [
    ["no buttons", { reply_markup: "inline" }, ["keyboard.buttons: is required"]],
    ["another markup", { reply_markup: "x" }, ['keyboard.reply_markup: must be "inline" or "reply"']],
    [
      "a markup of another type",
      { reply_markup: true, buttons: [] },
      ['keyboard.reply_markup: must be "inline" or "reply"'],
    ],
    ["a button without use", raw({ text: "A" }), ["keyboard.buttons[0]: needs url or callback_data"]],
    [
      "a button with two uses",
      raw({ text: "A", url: "https://x.example/", callback_data: "a" }),
      ["keyboard.buttons[0]: takes either url or callback_data"],
    ],
    [
      "an address that is none",
      raw([button(1), { text: "A", url: "x" }]),
      ["keyboard.buttons[0][1].url: must be a URL"],
    ],
    [
      "wrong types of fields",
      raw({ text: 1, callback_data: 2 }),
      [
        "keyboard.buttons[0].text: must be a non-empty string",
        "keyboard.buttons[0].callback_data: must be a string",
        "keyboard.buttons[0]: needs url or callback_data",
      ],
    ],
    [
      "payloads of more than 64 bytes, or of none",
      raw(
        [{ text: "D", callback_data: "x".repeat(65) }],
        { text: "F", callback_data: "ж".repeat(33) },
        { text: "G", callback_data: "" },
      ),
      [
        "keyboard.buttons[0][0].callback_data: must have 1 to 64 bytes",
        "keyboard.buttons[1].callback_data: must have 1 to 64 bytes",
        "keyboard.buttons[2].callback_data: must have 1 to 64 bytes",
      ],
    ],
    ["a row within a row", raw([[button(1)]]), ["keyboard.buttons[0][0]: must be an object"]],
    [
      "flags that are none, though inline has no use for them",
      {
        one_time_keyboard: 1,
        resize_keyboard: "no",
        selective: "yes",
        remove_keyboard: 0,
        buttons: [button(1)],
      },
      [
        "keyboard.one_time_keyboard: must be true or false",
        "keyboard.resize_keyboard: must be true or false",
        "keyboard.selective: must be true or false",
        "keyboard.remove_keyboard: must be true or false",
      ],
    ],
  ]);
});

describe("markup, reply (Telegram bot)", () => {
  const raw = (...buttons: unknown[]) => ({ reply_markup: "reply", buttons });
  const plain = { oneTime: false, resize: false, selective: false };
  const keyboard = (labels: readonly (readonly string[])[], options = plain): Keyboard => ({
    kind: "reply",
    rows: labels.map((row) => row.map((text) => ({ text }))),
    ...options,
  });
  const button = (index: number) => ({ text: `B${index}` });

  accepts("markup", [
    ["a flat list as one button per row", raw(button(1), button(2)), keyboard([["B1"], ["B2"]])],
    ["rows", raw([button(1), button(2)], [button(3)]), keyboard([["B1", "B2"], ["B3"]])],
    [
      "its options",
      { ...raw(button(1)), one_time_keyboard: true, resize_keyboard: true, selective: true },
      keyboard([["B1"]], { oneTime: true, resize: true, selective: true }),
    ],
    [
      "options that are off or null",
      { ...raw(button(1)), one_time_keyboard: false, resize_keyboard: null, remove_keyboard: false },
      keyboard([["B1"]]),
    ],
    [
      "only the first twelve of thirteen",
      raw(...times(13, button)),
      keyboard(times(12, (index) => [`B${index}`])),
    ],
    [
      "labels of 64 characters, not of 65",
      raw({ text: "x".repeat(64) }, { text: "x".repeat(65) }),
      keyboard([["x".repeat(64)]]),
    ],
    ["its removal", { remove_keyboard: true }, { kind: "remove", selective: false }],
    [
      "its removal for some, whatever buttons are given",
      { ...raw(5), remove_keyboard: true, selective: true },
      { kind: "remove", selective: true },
    ],
    ["no keyboard when no button is left", raw({ text: "x".repeat(65) }), undefined],
  ]);
  refuses("markup", [
    ["no buttons", { reply_markup: "reply" }, ["keyboard.buttons: is required"]],
    [
      "buttons without labels",
      raw({}, { text: "" }),
      ["keyboard.buttons[0].text: is required", "keyboard.buttons[1].text: must be a non-empty string"],
    ],
    [
      "flags and buttons at once",
      { ...raw("A"), one_time_keyboard: "yes" },
      ["keyboard.one_time_keyboard: must be true or false", "keyboard.buttons[0]: must be an object"],
    ],
  ]);
});

describe("rows (MAX bot)", () => {
  const callback = { type: "callback", text: "A", payload: "a" } as const;
  const link = { type: "link", text: "B", url: "https://x.example/" } as const;
  const message = { type: "message", text: "C" } as const;

  accepts("rows", [
    [
      "buttons of every type",
      { buttons: [[callback, link], [message]] },
      { kind: "rows", rows: [[callback, link], [message]] },
    ],
    [
      "a flat list as one button per row",
      { buttons: [callback, message] },
      { kind: "rows", rows: [[callback], [message]] },
    ],
    [
      "every intent",
      { buttons: [["default", "positive", "negative"].map((intent) => ({ ...callback, intent }))] },
      {
        kind: "rows",
        rows: [
          [
            { ...callback, intent: "default" },
            { ...callback, intent: "positive" },
            { ...callback, intent: "negative" },
          ],
        ],
      },
    ],
    [
      "what may be left out as null",
      { buttons: [[{ ...message, intent: null, payload: null, url: null }]] },
      { kind: "rows", rows: [[message]] },
    ],
    ["no empty rows", { buttons: [[], [message], []] }, { kind: "rows", rows: [[message]] }],
    [
      "any number, and labels of any length",
      { buttons: [times(20, () => ({ ...message, text: "x".repeat(200) }))] },
      { kind: "rows", rows: [times(20, () => ({ ...message, text: "x".repeat(200) }))] },
    ],
    ["no keyboard without buttons", { buttons: [[]] }, undefined],
  ]);
  refuses("rows", [
    ["no buttons", {}, ["keyboard.buttons: is required"]],
    ["a button as a text", { buttons: [["A"]] }, ["keyboard.buttons[0][0]: must be an object"]],
    [
      "a button of no type",
      { buttons: [[{ text: "A" }]] },
      ["keyboard.buttons[0][0].type: must be one of callback, link, message"],
    ],
    [
      "a button of another type",
      { buttons: [[message, { text: "A", type: "chat" }]] },
      ["keyboard.buttons[0][1].type: must be one of callback, link, message"],
    ],
    [
      "what each type requires",
      { buttons: [[{ type: "callback" }], [{ type: "link" }], [{ type: "message" }]] },
      [
        "keyboard.buttons[0][0].text: is required",
        "keyboard.buttons[0][0].payload: is required",
        "keyboard.buttons[1][0].text: is required",
        "keyboard.buttons[1][0].url: is required",
        "keyboard.buttons[2][0].text: is required",
      ],
    ],
    [
      "another intent and other types",
      { buttons: [[{ ...message, intent: "urgent", payload: 1, url: {} }]] },
      [
        "keyboard.buttons[0][0].intent: must be one of default, positive, negative",
        "keyboard.buttons[0][0].payload: must be a string",
        "keyboard.buttons[0][0].url: must be a string",
      ],
    ],
  ]);
});

describe("any shape", () => {
  const shapes: readonly KeyboardShape[] = ["interactive", "markup", "rows"];

  it.each(["text", 5, true, [], null])("a keyboard that is %o is refused", (raw) => {
    for (const shape of shapes) expect(faultsOf(shape, raw)).toEqual(["keyboard: must be an object"]);
  });

  it("is refused by transports without keyboards", () => {
    expect(() => parseKeyboard({ shape: null }, { buttons: [] })).toThrow(
      expect.objectContaining({ code: "MESSAGE_KEYBOARD_INVALID", status: 400 }),
    );
  });

  /** Objects much like keyboards, right and wrong. */
  const text = fc.oneof(
    fc.string(),
    fc.string({ minLength: 60, maxLength: 70 }),
    fc.constant(null),
    fc.integer(),
  );
  const button = fc.record(
    {
      type: fc.oneof(fc.constantFrom("callback", "link", "message", "text"), text),
      text,
      payload: text,
      callback_data: text,
      url: fc.oneof(fc.webUrl(), text),
      intent: fc.oneof(fc.constantFrom("default", "positive"), text),
    },
    { requiredKeys: [] },
  );
  const anyButton = fc.oneof({ weight: 9, arbitrary: button }, { weight: 1, arbitrary: fc.jsonValue() });
  const keyboard = fc.record(
    {
      buttons: fc.array(fc.oneof(anyButton, fc.array(anyButton, { maxLength: 15 })), { maxLength: 15 }),
      reply_markup: fc.constantFrom("inline", "reply", null, "x"),
      remove_keyboard: fc.constantFrom(false, null, true),
      selective: fc.constantFrom(true, null, 1),
    },
    { requiredKeys: ["buttons"] },
  );
  const characters = (label: string): number => [...label].length;

  it.each(shapes)("%s: stays within the interface's limits, or names the errors", (shape) => {
    fc.assert(
      fc.property(fc.oneof(keyboard, fc.jsonValue()), (raw) => {
        let parsed: Keyboard | undefined;
        try {
          parsed = parseKeyboard({ shape }, raw);
        } catch (error) {
          expect(error).toMatchObject({ code: "MESSAGE_KEYBOARD_INVALID", status: 400 });
          expect((error as AppError).data).toMatchObject({
            fields: expect.arrayContaining([{ field: expect.any(String), message: expect.any(String) }]),
          });
          return;
        }
        if (parsed === undefined || parsed.kind === "remove") return;
        const rows = parsed.kind === "interactive" ? [parsed.buttons] : parsed.rows;
        expect(rows.every((row) => row.length > 0)).toBe(true);
        const buttons = rows.flat();
        expect(buttons.every((each) => each.text !== "")).toBe(true);
        if (shape === "rows") return;
        const [most, longest] = shape === "interactive" ? [10, 20] : [12, 64];
        expect(buttons.length).toBeLessThanOrEqual(most);
        expect(Math.max(...buttons.map((each) => characters(each.text)))).toBeLessThanOrEqual(longest);
      }),
      { numRuns: 300 },
    );
  });
});

describe("rules of a channel and a version", () => {
  const faults = (rules: Parameters<typeof parseKeyboard>[0], ...buttons: object[]): unknown => {
    try {
      return parseKeyboard(rules, { buttons });
    } catch (error) {
      return (error as { data: { fields: { field: string; message: string }[] } }).data.fields.map(
        ({ field, message }) => `${field}: ${message}`,
      );
    }
  };
  it("a payload above the messenger's limit", () => {
    const rules = { shape: "interactive", maxPayloadLength: 5 } as const;
    expect(faults(rules, { text: "A", payload: "12345" })).toMatchObject({ kind: "interactive" });
    expect(faults(rules, { text: "A", payload: "a" }, { text: "B", payload: "123456" })).toEqual([
      "keyboard.buttons[1].payload: must have at most 5 characters",
    ]);
  });

  it.each([
    ["interactive", 20, { payload: "a" }],
    ["markup", 64, { callback_data: "a" }],
  ] as const)("%s labels of more than %i characters, if these are refused", (shape, most, button) => {
    const rules = { shape, refusesLongLabels: true };
    expect(faults(rules, { ...button, text: "x".repeat(most) })).toMatchObject({ kind: expect.any(String) });
    expect(faults(rules, { ...button, text: "x".repeat(most + 1) })).toEqual([
      `keyboard.buttons[0].text: must have at most ${most} characters`,
    ]);
  });
});
