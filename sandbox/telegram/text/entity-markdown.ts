import { badRequest } from "../call/api-error.ts";
import type { Entity, FormattedText } from "../shape.ts";

type Version = "v1" | "v2";

/** https://core.telegram.org/bots/api#markdownv2-style; longer marks first. */
const marks: Readonly<Record<Version, readonly (readonly [mark: string, type: string, name: string])[]>> = {
  v2: [
    ["```", "pre", "Pre"],
    ["`", "code", "Code"],
    ["||", "spoiler", "Spoiler"],
    ["__", "underline", "Underline"],
    ["*", "bold", "Bold"],
    ["_", "italic", "Italic"],
    ["~", "strikethrough", "Strikethrough"],
  ],
  v1: [
    ["```", "pre", "the entity"],
    ["`", "code", "the entity"],
    ["*", "bold", "the entity"],
    ["_", "italic", "the entity"],
  ],
};

const reservedV2 = new Set("#+-={}.!>|()[]");

interface OpenMark {
  readonly mark: string;
  readonly type: string;
  readonly name: string;
  readonly offset: number;
  readonly byteOffset: number;
}

/** Removes the marks of a text in MarkdownV2, or in the older Markdown. */
export function parseMarkdown(source: string, version: Version): FormattedText {
  return new MarkdownReader(source, version).read();
}

class MarkdownReader {
  readonly #source: string;
  readonly #version: Version;
  readonly #entities: Entity[] = [];
  readonly #open: OpenMark[] = [];
  #text = "";
  #position = 0;

  constructor(source: string, version: Version) {
    this.#source = source;
    this.#version = version;
  }

  read(): FormattedText {
    while (this.#position < this.#source.length) this.#step();
    const open = this.#open[0];
    if (open) this.#failAt(`Can't find end of ${describe(open, this.#version)}`, open.byteOffset);
    return { text: this.#text, entities: this.#entities };
  }

  #step(): void {
    const char = this.#source[this.#position] ?? "";
    const verbatim = this.#open.at(-1)?.type;
    if (char === "\\" && this.#isEscapable(this.#source.charCodeAt(this.#position + 1))) {
      this.#text += this.#source[this.#position + 1] ?? "";
      this.#position += 2;
    } else if (verbatim === "code" || verbatim === "pre") {
      if (!this.#closesVerbatim()) this.#copy(char);
    } else if (!this.#readMark() && !this.#readLink() && !this.#readQuoteMark(char)) {
      if (this.#version === "v2" && reservedV2.has(char)) this.#failReserved(char);
      this.#copy(char);
    }
  }

  #copy(char: string): void {
    this.#text += char;
    this.#position++;
  }

  #isEscapable(code: number): boolean {
    if (this.#version === "v2") return code > 0 && code < 127;
    return "_*`[".includes(String.fromCharCode(code));
  }

  #closesVerbatim(): boolean {
    const open = this.#open.at(-1);
    if (!open || !this.#source.startsWith(open.mark, this.#position)) return false;
    this.#close();
    return true;
  }

  #readMark(): boolean {
    const found = marks[this.#version].find(([mark]) => this.#source.startsWith(mark, this.#position));
    if (!found) return false;
    const [mark, type, name] = found;
    if (this.#open.at(-1)?.mark === mark) {
      this.#close();
      return true;
    }
    const nested = this.#open.some((open) => open.mark === mark);
    if (nested) this.#failAt(`Can't find end of ${describe({ name }, this.#version)}`, this.#bytes());
    this.#open.push({ mark, type, name, offset: this.#text.length, byteOffset: this.#bytes() });
    this.#position += mark.length;
    return true;
  }

  #close(): void {
    const open = this.#open.pop();
    if (!open) return;
    this.#position += open.mark.length;
    const length = this.#text.length - open.offset;
    if (length > 0) this.#entities.push({ type: open.type, offset: open.offset, length });
  }

  /** `[text](address)`: the text may contain no further marks. */
  #readLink(): boolean {
    if (this.#source[this.#position] !== "[") return false;
    const rest = this.#source.slice(this.#position);
    const match = /^\[((?:[^\]\\]|\\.)*)\]\(((?:[^)\\]|\\.)*)\)/s.exec(rest);
    if (!match) {
      if (this.#version === "v1" && !rest.includes("]"))
        this.#failAt("Can't find end of the entity", this.#bytes());
      return false;
    }
    const [whole, label = "", url = ""] = match;
    const shown = label.replace(/\\(.)/gs, "$1");
    const at = { offset: this.#text.length, length: shown.length };
    this.#entities.push({ type: "text_link", ...at, url: url.replace(/\\(.)/gs, "$1") });
    this.#text += shown;
    this.#position += whole.length;
    return true;
  }

  /** A line that starts with `>` is a quotation (its length is that of the source, including marks). */
  #readQuoteMark(char: string): boolean {
    const atLineStart = this.#text === "" || this.#text.endsWith("\n");
    if (this.#version !== "v2" || char !== ">" || !atLineStart) return false;
    this.#position++;
    const end = this.#source.indexOf("\n", this.#position);
    const length = (end < 0 ? this.#source.length : end) - this.#position;
    if (length > 0) this.#entities.push({ type: "blockquote", offset: this.#text.length, length });
    return true;
  }

  #bytes(): number {
    return Buffer.byteLength(this.#source.slice(0, this.#position));
  }

  #failReserved(char: string): never {
    const reason = `Character '${char}' is reserved and must be escaped with the preceding '\\'`;
    throw badRequest(`can't parse entities: ${reason}`);
  }

  #failAt(reason: string, byteOffset: number): never {
    throw badRequest(`can't parse entities: ${reason} at byte offset ${byteOffset}`);
  }
}

function describe({ name }: { readonly name: string }, version: Version): string {
  return version === "v2" ? `${name} entity` : "the entity starting";
}
