import { describe, expect, test } from "vitest";
import { Arguments } from "../call/arguments.ts";
import { readText } from "./formatted-text.ts";

const read = (text: string, parse_mode = "") => readText(new Arguments({ text, parse_mode }));

type Shown = readonly (readonly [type: string, part: string])[];

const cases: readonly (readonly [mode: string, source: string, text: string, entities: Shown])[] = [
  [
    "HTML",
    "a <b>b <i>c</i></b>",
    "a b c",
    [
      ["bold", "b c"],
      ["italic", "c"],
    ],
  ],
  ["HTML", '<a href="https://x.y">link</a> &lt;&amp;&#33;', "link <&!", [["text_link", "link"]]],
  [
    "HTML",
    '<pre><code class="language-js">x</code></pre>',
    "x",
    [
      ["pre", "x"],
      ["pre", "x"],
    ],
  ],
  ["HTML", "<blockquote expandable>q</blockquote>", "q", [["expandable_blockquote", "q"]]],
  [
    "MarkdownV2",
    "*b* _i_ __u__ ~s~ ||p|| `c`",
    "b i u s p c",
    [
      ["bold", "b"],
      ["italic", "i"],
      ["underline", "u"],
      ["strikethrough", "s"],
      ["spoiler", "p"],
      ["code", "c"],
    ],
  ],
  ["MarkdownV2", "1\\. [here](https://x.y/a\\)b)", "1. here", [["text_link", "here"]]],
  [
    "Markdown",
    "*b* _i_ a.b!",
    "b i a.b!",
    [
      ["bold", "b"],
      ["italic", "i"],
    ],
  ],
  [
    "",
    "  /start@shop_bot now #go @annb https://x.y/z.  ",
    "/start@shop_bot now #go @annb https://x.y/z.",
    [
      ["bot_command", "/start@shop_bot"],
      ["hashtag", "#go"],
      ["mention", "@annb"],
      ["url", "https://x.y/z"],
    ],
  ],
  ["", "mail a.b@c.example", "mail a.b@c.example", [["email", "a.b@c.example"]]],
];

const broken: readonly (readonly [mode: string, source: string, reason: string])[] = [
  ["HTML", "<b>a", `Can't find end tag corresponding to start tag "b"`],
  ["HTML", "a</b>", "Unexpected end tag at byte offset 1"],
  ["HTML", "я<x>", 'Unsupported start tag "x" at byte offset 2'],
  ["HTML", "<b><i>a</b></i>", 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
  ["HTML", "a <b", "Unclosed start tag at byte offset 2"],
  ["MarkdownV2", "a.b", "Character '.' is reserved and must be escaped with the preceding '\\'"],
  ["MarkdownV2", "a *b", "Can't find end of Bold entity at byte offset 2"],
  ["Markdown", "a _b", "Can't find end of the entity starting at byte offset 2"],
];

describe("formatted text", () => {
  test.each(cases)("%s: %s", (mode, source, text, entities) => {
    const read_ = read(source, mode);
    expect(read_.text).toBe(text);
    expect(
      read_.entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)]),
    ).toEqual(entities);
  });

  test.each(broken)("%s: %s", (mode, source, reason) => {
    expect(() => read(source, mode)).toThrow(`Bad Request: can't parse entities: ${reason}`);
  });

  test("explicit entities move with the text", () => {
    const args = new Arguments({ text: "  bold", entities: [{ type: "bold", offset: 2, length: 4 }] });
    expect(readText(args)).toEqual({ text: "bold", entities: [{ type: "bold", offset: 0, length: 4 }] });
  });
});
