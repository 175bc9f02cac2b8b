import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { EXTENDED } from "./extended.ts";
import { dictionary, type TextsOf } from "./i18n.ts";
import { FIRST_PIECE, NEXT_PIECE, pieceEnd } from "./pieces.ts";

const words = dictionary({ en: { more: "Show more" }, ru: { more: "Показать ещё" } }, "longText");
export type LongTextTexts = TextsOf<typeof words>;

/** How many pieces of a text are shown, by its id, while the page is open: rows of long lists are rendered anew. */
const shownPieces = new Map<string, number>();
const MAX_KEPT = 500;

interface LongTextProps {
  readonly text: string;
  /** Identifies the text. Without it, a text that is rendered anew begins with its first piece again. */
  readonly id?: string;
  /** Renders one piece. */
  readonly children: (piece: string) => ComponentChildren;
}

/** A text of any length: its first piece, and one more with each request, so that the page never renders all at once. */
export function LongText({ text, id, children }: LongTextProps) {
  const [count, setCount] = useState(() => shownPieces.get(id ?? "") ?? 1);
  const pieces = piecesOf(text, count);
  const end = pieces.at(-1)?.end ?? 0;
  const last = useRef<HTMLSpanElement>(null);
  const isPressed = useRef(false);
  useEffect(() => {
    // The button is gone, or has moved on: the reader continues with the new piece.
    if (isPressed.current) last.current?.focus({ preventScroll: true });
    isPressed.current = false;
  }, [count]);
  const more = (button: HTMLElement) => {
    button.dispatchEvent(new Event(EXTENDED, { bubbles: true }));
    isPressed.current = true;
    keep(id, count + 1);
    setCount(count + 1);
  };
  if (pieces.length === 1 && end === text.length) return <>{children(text)}</>;
  return (
    <>
      {pieces.map(({ from, end: to }, index) => (
        <span key={from} ref={index === pieces.length - 1 ? last : null} tabIndex={-1} class="outline-none">
          {children(text.slice(from, to))}
        </span>
      ))}
      {end < text.length && (
        <button
          type="button"
          class="block min-h-10 rounded-md font-sans text-sm font-semibold text-accent-text underline"
          onClick={(event) => more(event.currentTarget)}
        >
          {words.value.more}
        </button>
      )}
    </>
  );
}

function piecesOf(text: string, count: number): { readonly from: number; readonly end: number }[] {
  const pieces = [{ from: 0, end: pieceEnd(text, 0, FIRST_PIECE) }];
  for (let from = pieces[0]?.end ?? 0; pieces.length < count && from < text.length; ) {
    const end = pieceEnd(text, from, NEXT_PIECE);
    pieces.push({ from, end });
    from = end;
  }
  return pieces;
}

function keep(id: string | undefined, count: number): void {
  if (id === undefined) return;
  shownPieces.delete(id);
  shownPieces.set(id, count);
  for (const oldest of shownPieces.keys()) if (shownPieces.size > MAX_KEPT) shownPieces.delete(oldest);
}
