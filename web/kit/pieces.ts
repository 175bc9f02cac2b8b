import { withoutOverrides } from "./bidi.ts";

/** Length of a name, a caption or a summary that is shown in one or two lines, in characters. */
const LINE_LENGTH = 200;
/** What is shown of a long text at first, and what each request to show more adds. */
export const FIRST_PIECE: PieceSize = { length: 1_200, lines: 25 };
export const NEXT_PIECE: PieceSize = { length: 8_000, lines: 200 };

export interface PieceSize {
  readonly length: number;
  readonly lines: number;
}

/** A cut goes back this far to a space. */
const BACK = 80;
/** Longer than the emoji that are joined from several. */
const CLUSTER = 32;

/**
 * Where the piece of a text that starts at `from` ends: after so many characters or lines, preferably at a space, never
 * within a character that the reader sees as one. Pure.
 */
export function pieceEnd(text: string, from: number, { length, lines }: PieceSize): number {
  const most = from + length;
  let end = from;
  for (let line = 0; line < lines; line++) {
    const next = text.indexOf("\n", end);
    if (next < 0 || next >= most) return most >= text.length ? text.length : softEnd(text, from, most);
    end = next + 1;
  }
  return end;
}

function softEnd(text: string, from: number, most: number): number {
  const least = Math.max(from, most - BACK);
  const space = text.slice(least, most).search(/\s\S*$/u);
  if (space >= 0 && least + space > from) return least + space + 1;
  const near = Math.max(from, most - CLUSTER);
  const cluster = new Intl.Segmenter().segment(text.slice(near, most + CLUSTER)).containing(most - near);
  const end = near + (cluster?.index ?? most - near);
  return end > from ? end : most;
}

/** The beginning of a text for one or two lines, with an ellipsis if it is longer, without overrides. Pure. */
export function beginning(text: string, length = LINE_LENGTH): string {
  if (text.length <= length) return withoutOverrides(text);
  const end = pieceEnd(text, 0, { length, lines: Number.POSITIVE_INFINITY });
  return `${withoutOverrides(text.slice(0, end)).trimEnd()}…`;
}
