import { expect, test } from "vitest";
import { lineOf } from "./list/summary.ts";
import { type TextPart, textParts, unmarked } from "./text-parts.ts";

const link = (text: string, href = text): TextPart => ({ kind: "link", href, text });

test.each<[string, readonly TextPart[]]>([
  ["", []],
  ["just text", ["just text"]],
  ["see https://a.example/x.", ["see ", link("https://a.example/x"), "."]],
  ["(https://a.example/x)", ["(", link("https://a.example/x"), ")"]],
  ["https://a.example/x_(y)", [link("https://a.example/x_(y)")]],
  ["www.a.example, or", [link("www.a.example", "https://www.a.example/"), ", or"]],
  ["mail ann@a.example!", ["mail ", link("ann@a.example", "mailto:ann@a.example"), "!"]],
  ["javascript:alert(1)", ["javascript:alert(1)"]],
  ["data:text/html,<b>", ["data:text/html,<b>"]],
  ["http://", ["http://"]],
  ["a*b*c", ["a*b*c"]],
  ["*not marked elsewhere*", ["*not marked elsewhere*"]],
])("links of %j", (text, parts) => expect(textParts(text, "telegram")).toEqual(parts));

test.each<[string, readonly TextPart[]]>([
  ["*bold*", [{ kind: "bold", parts: ["bold"] }]],
  ["so _it_ ~is~", ["so ", { kind: "italic", parts: ["it"] }, " ", { kind: "strike", parts: ["is"] }]],
  ["*a _b_*", [{ kind: "bold", parts: ["a ", { kind: "italic", parts: ["b"] }] }]],
  ["`x *y*`", [{ kind: "code", parts: ["x *y*"] }]],
  ["```one\ntwo```", [{ kind: "code", parts: ["one\ntwo"] }]],
  ["2 * 3 * 4", ["2 * 3 * 4"]],
  ["snake_case_name", ["snake_case_name"]],
  ["https://a.example/_x_/ *b*", [link("https://a.example/_x_/"), " ", { kind: "bold", parts: ["b"] }]],
])("marks of %j", (text, parts) => expect(textParts(text, "whatsapp")).toEqual(parts));

test.each([
  ["*See* you at https://a.example/_x_/", "whatsapp", "See you at https://a.example/_x_/"],
  ["~*a* `b`~", "whatsgroup", "a b"],
  ["*See* you", "telegram", "*See* you"],
])("one line of %j in %s", (text, chatType, line) => expect(unmarked(text, chatType)).toBe(line));

test.each([
  ["*See* you\n_there_", "whatsapp", "See you there"],
  ["```one\ntwo```", "whatsgroup", "one two"],
  ["*See* you\nthere", "telegram", "*See* you there"],
])("the line of a message %j in %s", (text, chatType, line) =>
  expect(lineOf({ type: "text", text }, chatType)).toBe(line),
);
