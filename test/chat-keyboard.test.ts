import { describe, expect, test } from "vitest";
import { parseKeyboard } from "../src/core/message/keyboard.ts";
import {
  type DraftButton,
  isGoodButton,
  KEYBOARD_LIMITS,
  type KeyboardShape,
  keyboardOf,
} from "../web/chat/composer/keyboard.ts";

const yes: DraftButton = { text: "Yes", url: "" };
const site: DraftButton = { text: "Site", url: "https://a.example" };

describe("what the service makes of an agent's buttons", () => {
  test.each<[KeyboardShape, readonly DraftButton[], object | undefined]>([
    [
      "interactive",
      [yes, { text: " ", url: "" }],
      { kind: "interactive", buttons: [{ text: "Yes", payload: "Yes" }] },
    ],
    [
      "markup",
      [yes, site],
      {
        kind: "inline",
        rows: [[{ text: "Yes", payload: "Yes" }], [{ text: "Site", url: "https://a.example" }]],
      },
    ],
    [
      "rows",
      [yes, site],
      {
        kind: "rows",
        rows: [
          [{ type: "callback", text: "Yes", payload: "Yes" }],
          [{ type: "link", text: "Site", url: "https://a.example" }],
        ],
      },
    ],
  ])("%s", (shape, buttons, keyboard) =>
    expect(parseKeyboard({ shape }, keyboardOf(shape, buttons))).toEqual(keyboard),
  );

  test.each(Object.keys(KEYBOARD_LIMITS) as KeyboardShape[])(
    "%s: all that the limits allow arrives",
    (shape) => {
      const { buttons, label } = KEYBOARD_LIMITS[shape];
      const given = Array.from({ length: buttons }, () => ({ text: "ж".repeat(label), url: "" }));
      const made = keyboardOf(shape, given, 20);
      const rules = { shape, maxPayloadLength: 20, refusesLongLabels: true };
      expect(JSON.stringify(parseKeyboard(rules, made)).split('жж"').length).toBeGreaterThan(buttons);
    },
  );

  test("no buttons, no keyboard", () => expect(keyboardOf("rows", [{ text: " ", url: "" }])).toBeUndefined());
});

test.each([
  [yes, true],
  [site, true],
  [{ text: "", url: "https://a.example" }, false],
  [{ text: "x", url: "javascript:alert(1)" }, false],
  [{ text: "x", url: "a.example" }, false],
])("%j may be sent: %s", (button, isGood) => expect(isGoodButton(button)).toBe(isGood));
