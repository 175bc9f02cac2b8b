import { badRequest } from "../call/api-error.ts";
import type { Entity, FormattedText } from "../shape.ts";

/** https://core.telegram.org/bots/api#html-style */
const types: Readonly<Record<string, string>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
  span: "spoiler",
  a: "text_link",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  "tg-emoji": "custom_emoji",
};

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

interface OpenTag {
  readonly name: string;
  readonly offset: number;
  readonly attributes: string;
  readonly byteOffset: number;
}

/** Removes the tags of an HTML text; for invalid markup, throws "can't parse entities" with the offset in bytes. */
export function parseHtml(source: string): FormattedText {
  const entities: Entity[] = [];
  const open: OpenTag[] = [];
  let text = "";
  let position = 0;
  const bytesTo = (index: number) => Buffer.byteLength(source.slice(0, index));
  while (position < source.length) {
    const char = source[position];
    if (char === "&") {
      const [decoded, length] = decodeReference(source, position);
      text += decoded;
      position += length;
    } else if (char === "<") {
      const end = source.indexOf(">", position);
      if (end < 0) throw fault(`Unclosed start tag at byte offset ${bytesTo(position)}`);
      const tag = source.slice(position + 1, end);
      if (tag.startsWith("/")) closeTag(tag.slice(1).trim().toLowerCase(), bytesTo(position));
      else open.push(openTag(tag, text.length, bytesTo(position)));
      position = end + 1;
    } else {
      text += char;
      position++;
    }
  }
  const unclosed = open.at(-1);
  if (unclosed) throw fault(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  return { text, entities };

  function closeTag(name: string, byteOffset: number): void {
    const tag = open.pop();
    if (!tag) throw fault(`Unexpected end tag at byte offset ${byteOffset}`);
    if (name !== "" && name !== tag.name) {
      throw fault(
        `Unmatched end tag at byte offset ${byteOffset}, expected "</${tag.name}>", found "</${name}>"`,
      );
    }
    const length = text.length - tag.offset;
    if (length > 0) entities.push(...entityOf(tag, length, text));
  }
}

function openTag(tag: string, offset: number, byteOffset: number): OpenTag {
  const [name = "", ...rest] = tag.split(/\s+/);
  const attributes = rest.join(" ");
  const lower = name.toLowerCase();
  const known = lower in types && (lower !== "span" || /class="?tg-spoiler/.test(attributes));
  if (!known) throw fault(`Unsupported start tag "${lower}" at byte offset ${byteOffset}`);
  return { name: lower, offset, attributes, byteOffset };
}

function entityOf({ name, offset, attributes }: OpenTag, length: number, text: string): Entity[] {
  const type = types[name] ?? "bold";
  const at = { offset, length };
  if (type === "text_link") {
    const url = /href\s*=\s*["']?([^"'\s>]*)/.exec(attributes)?.[1] ?? text.slice(offset, offset + length);
    return url === "" ? [] : [{ type, ...at, url }];
  }
  if (type === "code") {
    const language = /class="?language-([^"\s]+)/.exec(attributes)?.[1];
    return [language ? { type: "pre", ...at, language } : { type, ...at }];
  }
  if (type === "custom_emoji") {
    const id = /emoji-id="?(\d+)/.exec(attributes)?.[1];
    return id ? [{ type, ...at, custom_emoji_id: id }] : [];
  }
  if (type === "blockquote" && /\bexpandable\b/.test(attributes))
    return [{ type: "expandable_blockquote", ...at }];
  return [{ type, ...at }];
}

function decodeReference(source: string, position: number): [decoded: string, length: number] {
  const [whole, name = ""] = /^&(#x[0-9a-f]+|#\d+|\w+);/i.exec(source.slice(position, position + 12)) ?? [
    "",
    "",
  ];
  if (whole === "") return ["&", 1];
  if (!name.startsWith("#")) return name in named ? [named[name] ?? "", whole.length] : ["&", 1];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code > 0 && code < 0x110000 ? [String.fromCodePoint(code), whole.length] : ["&", 1];
}

function fault(reason: string) {
  return badRequest(`can't parse entities: ${reason}`);
}
