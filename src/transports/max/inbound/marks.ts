/** A mark over a range of a text, in UTF-16 units (`elements` of a message). */
export interface MarkElement {
  readonly type: "STRONG" | "EMPHASIZED" | "STRIKETHROUGH";
  readonly from: number;
  readonly length: number;
}

const TYPES: Readonly<Record<string, MarkElement["type"]>> = {
  "*": "STRONG",
  _: "EMPHASIZED",
  "~": "STRIKETHROUGH",
};

/** WhatsApp's rules: signs stand at word boundaries, with no space on their inner side, on one line. */
const MARKED = /(?<![\p{L}\p{N}*_~])([*_~])(?![\s*_~])([^\n]*?[^\s*_~])\1(?![\p{L}\p{N}*_~])/gu;

/**
 * Converts `*bold*`, `_italic_` and `~struck~`, which CRMs write for other messengers, to marks, because MAX does not
 * render the signs. Signs within URLs are kept.
 */
export function toMarked(text: string): { readonly text: string; readonly elements: readonly MarkElement[] } {
  const elements: MarkElement[] = [];
  let marked = "";
  let copied = 0;
  for (const match of text.matchAll(MARKED)) {
    const [whole, sign = "", inner = ""] = match;
    const type = TYPES[sign];
    if (type === undefined || isInAddress(text, match.index)) continue;
    marked += text.slice(copied, match.index);
    elements.push({ type, from: marked.length, length: inner.length });
    marked += inner;
    copied = match.index + whole.length;
  }
  return { text: marked + text.slice(copied), elements };
}

function isInAddress(text: string, at: number): boolean {
  return /https?:\/\/\S*$/i.test(text.slice(0, at));
}
