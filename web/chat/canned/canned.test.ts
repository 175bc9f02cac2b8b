import { describe, expect, test } from "vitest";
import { contactName, fillIn, type Names } from "./fill-in.ts";
import { findAnswers } from "./find.ts";
import { typedName } from "./typed-name.ts";

test.each<[string, { name: string; start: number; isFirst: boolean } | null]>([
  ["/|", { name: "", start: 0, isFirst: true }],
  ["/pri|", { name: "pri", start: 0, isFirst: true }],
  ["  /pri|", { name: "pri", start: 2, isFirst: true }],
  ["/цена|\nmore", { name: "цена", start: 0, isFirst: true }],
  ["Hello Ann, /pri|", { name: "pri", start: 11, isFirst: false }],
  ["Hello\n/pri|", { name: "pri", start: 6, isFirst: false }],
  ["/pr|ice", null],
  ["/price |", null],
  ["and/or|", null],
  ["//|", null],
  ["/usr/bin|", null],
  ["https://shop.example/a|", null],
  ["|/price", null],
  ["", null],
])("in %j", (marked, expected) => {
  const caret = marked.indexOf("|");
  expect(typedName(marked.replace("|", ""), caret)).toEqual(expected);
});

describe("matches", () => {
  const answers = [
    { name: "delivery", text: "We deliver on Mondays." },
    { name: "price", text: "It costs 40." },
    { name: "price-list", text: "Here it is: https://shop.example/list" },
    { name: "refund", text: "Half of the price, within the price list's terms" },
    { name: "ЦЕНА", text: "Сорок, доставка бесплатно" },
    { name: "best-price", text: "Ask us" },
  ];

  test.each<[string, boolean, string[]]>([
    ["", true, answers.map(({ name }) => name)],
    ["price", true, ["price", "price-list", "best-price", "refund"]],
    ["PRI", true, ["price", "price-list", "best-price", "refund"]],
    ["цен", true, ["ЦЕНА"]],
    ["дост", true, ["ЦЕНА"]],
    ["monday", true, ["delivery"]],
    ["onday", true, []],
    ["start", true, []],
    ["price", false, ["price", "price-list"]],
    ["monday", false, []],
  ])("for %j, first: %j", (name, isFirst, names) => {
    expect(findAnswers(answers, { name, isFirst }).map((answer) => answer.name)).toEqual(names);
  });
});

describe("variables", () => {
  const known: Names = { contact: "Ann", employee: "Maria" };
  const unknown: Names = { contact: null, employee: null };

  test.each<[string, string, string]>([
    ["Hello, {{contact}}!", "Hello, Ann!", "Hello!"],
    ["Hello {{contact}}, how are you?", "Hello Ann, how are you?", "Hello, how are you?"],
    ["{{contact}}, it is ready.", "Ann, it is ready.", "It is ready."],
    ["Thanks. {{ Contact }}, call us", "Thanks. Ann, call us", "Thanks. Call us"],
    ["Ready!\n{{contact}}, поздравляем", "Ready!\nAnn, поздравляем", "Ready!\nПоздравляем"],
    ["Здравствуйте, {{contact}}, это {{employee}}.", "Здравствуйте, Ann, это Maria.", "Здравствуйте, это."],
    ["Hello, {{contact|dear customer}}!", "Hello, Ann!", "Hello, dear customer!"],
    ["{{employee | The shop}} writes", "Maria writes", "The shop writes"],
    ["Call {{contact}}", "Call Ann", "Call"],
    ["{{contact}}", "Ann", ""],
    ["{{1}}, {{name}}, {contact}", "{{1}}, {{name}}, {contact}", "{{1}}, {{name}}, {contact}"],
    ["no variables", "no variables", "no variables"],
  ])("%j", (text, filled, left) => {
    expect(fillIn(text, known)).toBe(filled);
    expect(fillIn(text, unknown)).toBe(left);
  });

  test("a name is neither a text with variables nor a pattern", () => {
    expect(fillIn("{{contact}} and {{employee}}", { contact: "{{employee}} $& $1", employee: "M" })).toBe(
      "{{employee}} $& $1 and M",
    );
  });

  const ann = { name: "Ann", is_group: false, username: "ann_s", phone: "79001", messenger_chat_id: "5001" };
  test.each<[string, Partial<typeof ann>, string | null]>([
    ["Ann", {}, "Ann"],
    ["Анна", {}, "Анна"],
    ["ann_s", {}, null],
    ["@ann_s", {}, null],
    ["+7 900 1", {}, null],
    ["79001", {}, null],
    ["5001", {}, null],
    ["u2:ab", { messenger_chat_id: "u2:ab" }, null],
    ["Lamps and friends", { is_group: true }, null],
    ["👍", {}, null],
  ])("the greeting name of %j", (name, more, expected) => {
    expect(contactName({ ...ann, ...more, name })).toBe(expected);
  });
});
