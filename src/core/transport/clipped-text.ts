/** Longest graphemes that are kept whole; longer ones are no text of a person. */
const LOOK_BACK = 200;
const LOOK_AHEAD = 50;
const encoder = new TextEncoder();
const segmenter = new Intl.Segmenter();

/** Whether the text has more than `maxBytes` bytes in UTF-8. Pure. */
export function isLonger(text: string, maxBytes: number): boolean {
  // No UTF-16 unit takes more than three bytes.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

/** The beginning of a text, at most `maxBytes` bytes in UTF-8, without a part of a grapheme at its end. Pure. */
export function clipText(text: string, maxBytes: number): string {
  if (!isLonger(text, maxBytes)) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, graphemeStart(text, read));
}

/** Where the grapheme that contains this position starts; the position itself if the grapheme is very long. */
function graphemeStart(text: string, position: number): number {
  const from = Math.max(0, position - LOOK_BACK);
  const found = segmenter.segment(text.slice(from, position + LOOK_AHEAD)).containing(position - from);
  return found === undefined || found.index === 0 ? position : from + found.index;
}
