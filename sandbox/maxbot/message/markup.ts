/** A formatted range: https://dev.max.ru/docs-api, "Text formatting". */
type MarkupElement = Readonly<Record<string, unknown>> & { readonly type: string };

interface Parsed {
  readonly text: string;
  readonly markup: readonly MarkupElement[];
}

interface Opened {
  readonly key: string;
  readonly from: number;
  readonly more: Readonly<Record<string, unknown>>;
}

const tags: Readonly<Record<string, string>> = {
  i: "emphasized",
  em: "emphasized",
  b: "strong",
  strong: "strong",
  del: "strikethrough",
  s: "strikethrough",
  ins: "underline",
  u: "underline",
  pre: "monospaced",
  code: "monospaced",
  mark: "highlighted",
  h1: "heading",
  blockquote: "quote",
  a: "link",
};

const marks: readonly (readonly [mark: string, type: string])[] = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "strikethrough"],
  ["++", "underline"],
  ["^^", "highlighted"],
  ["`", "monospaced"],
  ["*", "emphasized"],
  ["_", "emphasized"],
];

/** Removes the formatting from a text. Unknown tags are stripped. */
export function parseMarkup(text: string, format: "markdown" | "html"): Parsed {
  return format === "html" ? parseHtml(text) : parseMarkdown(text);
}

function parseHtml(source: string): Parsed {
  const writer = new MarkupWriter();
  let end = 0;
  for (const found of source.matchAll(/<(\/?)([a-z0-9]+)([^>]*)>/gi)) {
    writer.write(decodeEntities(source.slice(end, found.index)));
    end = found.index + found[0].length;
    const name = (found[2] ?? "").toLowerCase();
    if (!tags[name]) continue;
    if (found[1] === "/") writer.close(name, tags[name]);
    else writer.open(name, hrefOf(found[3] ?? ""));
  }
  writer.write(decodeEntities(source.slice(end)));
  return writer.result();
}

function hrefOf(attributes: string): Readonly<Record<string, unknown>> {
  const url = /href\s*=\s*["']([^"']*)["']/i.exec(attributes)?.[1];
  return url === undefined ? {} : linkTo(decodeEntities(url));
}

/** `max://user/<id>` mentions a person. */
function linkTo(url: string): Readonly<Record<string, unknown>> {
  const user = /^max:\/\/user\/(\d+)$/.exec(url)?.[1];
  return user === undefined ? { url } : { type: "user_mention", user_id: Number(user) };
}

function decodeEntities(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&amp;": "&",
  };
  return text.replace(/&(?:lt|gt|quot|amp);/g, (entity) => entities[entity] ?? entity);
}

function parseMarkdown(source: string): Parsed {
  const writer = new MarkupWriter();
  let rest = source;
  while (rest !== "") {
    const link = /^\[([^\]]+)\]\(([^)\s]+)\)/.exec(rest);
    const mark = marks.find(([sign]) => rest.startsWith(sign));
    if (link) {
      writer.open("a", linkTo(link[2] ?? ""));
      writer.write(link[1] ?? "");
      writer.close("a", "link");
      rest = rest.slice(link[0].length);
    } else if (mark && isMark(writer, mark[0], rest)) {
      if (!writer.close(mark[0], mark[1])) writer.open(mark[0], {});
      rest = rest.slice(mark[0].length);
    } else {
      writer.write(rest.slice(0, 1));
      rest = rest.slice(1);
    }
  }
  return writer.result();
}

/** A mark closes its range, and opens one only if it is also closed. */
function isMark(writer: MarkupWriter, sign: string, rest: string): boolean {
  if (writer.isOpen(sign)) return true;
  const next = rest.charAt(sign.length);
  return next !== "" && !/\s/.test(next) && rest.indexOf(sign, sign.length + 1) > 0;
}

/** Collects plain text and the ranges of its formatting. */
class MarkupWriter {
  #text = "";
  readonly #markup: MarkupElement[] = [];
  readonly #opened: Opened[] = [];

  write(text: string): void {
    this.#text += text;
  }

  open(key: string, more: Readonly<Record<string, unknown>>): void {
    this.#opened.push({ key, from: this.#text.length, more });
  }

  isOpen(key: string): boolean {
    return this.#opened.some((each) => each.key === key);
  }

  close(key: string, type: string): boolean {
    const index = this.#opened.findLastIndex((each) => each.key === key);
    const [opened] = index < 0 ? [] : this.#opened.splice(index, 1);
    if (!opened) return false;
    const length = this.#text.length - opened.from;
    if (length > 0) this.#markup.push({ type, from: opened.from, length, ...opened.more });
    return true;
  }

  result(): Parsed {
    return { text: this.#text, markup: this.#markup };
  }
}
