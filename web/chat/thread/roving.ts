import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusDrawn } from "../../kit/focus-drawn.ts";

const CONTROLS = "a, button, input, summary, audio, video";

interface Rows {
  /** Index of the next row with a message from this one on; undefined: there is none. */
  readonly next: (from: number, step: 1 | -1) => number | undefined;
  readonly count: number;
  /** Scrolls to a row, so that it is in the document. */
  readonly reveal: (index: number) => void;
}

/**
 * Makes one tab stop of all messages: the one that had the focus last, at first the newest. Arrow keys, Home and End
 * move between messages, Enter opens the actions, and Tab goes on to the links and buttons of this message only.
 * Returns the handler of keys of `scroller`.
 */
export function useRoving(
  scroller: RefObject<HTMLElement | null>,
  rows: Rows,
): (event: KeyboardEvent) => void {
  const stop = useRef<string | null>(null);
  useLayoutEffect(() => {
    const log = scroller.current;
    if (log === null) return;
    const apply = () => applyStop(log, stop.current);
    const onFocus = ({ target }: FocusEvent) => {
      const article = target instanceof Element ? target.closest<HTMLElement>("article") : null;
      if (article === null) return;
      stop.current = article.dataset["message"] ?? null;
      apply();
    };
    // Parts of a message appear later, for example its file.
    const observer = new MutationObserver(apply);
    observer.observe(log, { childList: true, subtree: true });
    log.addEventListener("focusin", onFocus);
    apply();
    return () => {
      observer.disconnect();
      log.removeEventListener("focusin", onFocus);
    };
  }, []);
  return (event) => {
    const article = event.target;
    if (!(article instanceof HTMLElement) || article.localName !== "article") return;
    if (event.key === "Enter") {
      // Or the same key press would choose the first of the actions, which has the focus at once.
      event.preventDefault();
      article.querySelector<HTMLElement>("[aria-haspopup]")?.click();
      return;
    }
    const index = Number(article.closest<HTMLElement>("[data-index]")?.dataset["index"]);
    const targets: Readonly<Record<string, number | undefined>> = {
      ArrowDown: rows.next(index + 1, 1),
      ArrowUp: rows.next(index - 1, -1),
      Home: rows.next(0, 1),
      End: rows.next(rows.count - 1, -1),
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    rows.reveal(target);
    focusDrawn(() => messageIn(scroller.current, target));
  };
}

/** The message in this row, if it is in the document. */
export function messageIn(scroller: HTMLElement | null, index: number): HTMLElement | null {
  return scroller?.querySelector<HTMLElement>(`[data-index="${index}"] article`) ?? null;
}

function applyStop(log: HTMLElement, id: string | null): void {
  const articles = [...log.querySelectorAll<HTMLElement>("article")];
  const stop = articles.find(({ dataset }) => dataset["message"] === id) ?? articles.at(-1);
  for (const article of articles) {
    article.tabIndex = article === stop ? 0 : -1;
    for (const control of article.querySelectorAll<HTMLElement>(CONTROLS))
      if (article === stop) control.removeAttribute("tabindex");
      else control.tabIndex = -1;
  }
}
