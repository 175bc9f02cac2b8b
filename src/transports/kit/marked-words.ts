/** A stretch of a text, in UTF-16 code units, that leads to an address. */
export interface LinkedStretch {
  readonly offset: number;
  readonly length: number;
  readonly url: string;
}

/** A message of no messenger has more. */
const MAX_LINKS = 1_000;

/**
 * The text with the address after each stretch that leads there: `words (address)`. An address that stands in the text
 * already, or was shown before, is not repeated. Pure.
 */
export function withAddresses(text: string, links: readonly LinkedStretch[]): string {
  const found = links.slice(0, MAX_LINKS).toSorted((a, b) => a.offset + a.length - (b.offset + b.length));
  const shown = new Set<string>();
  let result = "";
  let from = 0;
  for (const [index, { offset, length, url }] of found.entries()) {
    const next = found[index + 1];
    // Clients split a link where its words change their style.
    const isContinued = next?.url === url && next.offset <= offset + length;
    if (isContinued || shown.has(url) || text.includes(bare(url))) continue;
    shown.add(url);
    const end = Math.max(from, endOf(text, offset, length));
    result += text.slice(from, end);
    result += result === "" ? `(${url})` : ` (${url})`;
    from = end;
  }
  return result + text.slice(from);
}

/** Messengers complete the address of a host with a slash. */
const bare = (url: string): string => (url.length > 1 ? url.replace(/\/$/, "") : url);

/** The end of the words, without the white space after them, and not inside a surrogate pair. */
function endOf(text: string, offset: number, length: number): number {
  const start = Math.min(Math.max(0, offset), text.length);
  const end = Math.min(Math.max(start, offset + length), text.length);
  const words = text.slice(start, end).trimEnd();
  const last = words === "" ? end : start + words.length;
  const isInPair = /[\uD800-\uDBFF]/.test(text[last - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[last] ?? "");
  return isInPair ? last + 1 : last;
}

/** Forwarded or quoted words: each line with the mark of a quotation. Empty words stay empty. Pure. */
export function quotation(words: string): string {
  return words === ""
    ? ""
    : words
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n");
}
