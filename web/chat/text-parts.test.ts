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
  ["ann.k+shop@a.example", [link("ann.k+shop@a.example", "mailto:ann.k+shop@a.example")]],
  ["-ann@a.example", ["-", link("ann@a.example", "mailto:ann@a.example")]],
  [`${"a".repeat(65)}.b@a.example`, [`${"a".repeat(65)}.b@a.example`]],
  ["https://a.example/(x).)", [link("https://a.example/(x).)")]],
  ["https://a.example/x.)?", [link("https://a.example/x"), ".)?"]],
  ["a*b*c", ["a*b*c"]],
  ["*not marked elsewhere*", ["*not marked elsewhere*"]],
])("links of %j", (text, parts) => expect(textParts(text, "telegram")).toEqual(parts));

test.each<[string, readonly TextPart[]]>([
  ["*bold*", [{ kind: "bold", parts: ["bold"] }]],
  ["so _it_ ~is~", ["so ", { kind: "italic", parts: ["it"] }, " ", { kind: "strike", parts: ["is"] }]],
  ["*a _b_*", [{ kind: "bold", parts: ["a ", { kind: "italic", parts: ["b"] }] }]],
  ["`x *y*`", [{ kind: "code", parts: ["x *y*"] }]],
  ["```one\ntwo```", [{ kind: "code", parts: ["one\ntwo"] }]],
  ["`one\ntwo`", ["`one\ntwo`"]],
  ["```one`", ["``", { kind: "code", parts: ["one"] }]],
  ["`a`b`", ["`a`b`"]],
  ["*a\nb*", ["*a\nb*"]],
  ["*a *b", ["*a *b"]],
  ["2 * 3 * 4", ["2 * 3 * 4"]],
  ["snake_case_name", ["snake_case_name"]],
  ["https://a.example/_x_/ *b*", [link("https://a.example/_x_/"), " ", { kind: "bold", parts: ["b"] }]],
  ["`https://a.example/x`", [{ kind: "code", parts: ["https://a.example/x"] }]],
  ["*see https://a.example/x*", [{ kind: "bold", parts: ["see ", link("https://a.example/x")] }]],
])("marks of %j", (text, parts) => expect(textParts(text, "whatsapp")).toEqual(parts));

/** A hundred thousand characters. */
const long = (piece: string): string => piece.repeat(100_000 / piece.length);

const elementsIn = (parts: readonly TextPart[]): number =>
  parts.reduce(
    (sum, part) =>
      sum + (typeof part === "string" ? 0 : part.kind === "link" ? 1 : 1 + elementsIn(part.parts)),
    0,
  );

// Time that grows with the square of the length would be minutes. More elements would take the page seconds to lay out.
test.each<[string, string, number, number]>([
  ["words with dots", long("a."), 1, 0],
  ["words with two dots", long("a.."), 1, 0],
  ["addresses without a domain", long("a@"), 1, 0],
  ["an endless name of an address", `${long("a.")}@a.example`, 1, 0],
  ["an endless domain", `a@${long("a-")}`, 1, 0],
  ["dots in a link", `https://a.example/${long(".")}x`, 1, 1],
  ["brackets after a link", `https://a.example/x${long(")")}`, 2, 1],
  ["links", long("www.a "), 600, 300],
  ["marks that do not close", long("*a "), 1, 0],
  ["marks", long("*a* "), 600, 300],
  ["code that does not close", long("`a "), 1, 0],
  ["blocks of code that do not close", long("```a "), 601, 300],
  ["nested marks", long("*_~a~_* "), 200, 300],
  ["marks and links", long("*a*-www.b "), 600, 300],
])("a long text takes no longer than its length, and few elements: %s", (_, text, count, elements) => {
  const parts = textParts(text, "whatsapp");
  expect(parts).toHaveLength(count);
  expect(elementsIn(parts)).toBe(elements);
});

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
