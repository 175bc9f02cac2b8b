import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { EXTENDED } from "./extended.ts";
import { type RowsOptions, VirtualRows } from "./virtual-rows.ts";

/**
 * The rows of a long list that have to be in the document, for the scroll container of `scroller`. Each row is
 * rendered at its `start` with `data-index`; it is measured there, and again whenever its size changes. `keyOf` must
 * stay the same function as long as the rows are the same.
 */
export function useVirtual(
  scroller: RefObject<HTMLElement | null>,
  options: RowsOptions,
): { readonly list: VirtualRows; readonly apply: () => void } {
  const [, render] = useReducer((count: number, _: undefined) => count + 1, 0);
  const kept = useRef<VirtualRows | null>(null);
  kept.current ??= new VirtualRows();
  const list = kept.current;
  list.update(options);
  const observer = useRef<ResizeObserver | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let shown = "";
    const onScroll = () => {
      list.scrolled(element.scrollTop);
      const next = `${list.rows[0]?.index} ${list.rows.length} ${list.isAtEnd}`;
      if (next !== shown) render(undefined);
      shown = next;
    };
    observer.current = new ResizeObserver((entries) => {
      const isView = entries.some(({ target }) => target === element);
      if (isView) list.resized(element.clientHeight);
      if (list.measured(entries.flatMap(({ target }) => heightOf(target))) || isView) render(undefined);
    });
    observer.current.observe(element);
    list.resized(element.clientHeight);
    render(undefined);
    const onExtended = () => list.stay();
    element.addEventListener("scroll", onScroll, { passive: true });
    element.addEventListener(EXTENDED, onExtended);
    return () => {
      element.removeEventListener("scroll", onScroll);
      element.removeEventListener(EXTENDED, onExtended);
      observer.current?.disconnect();
    };
  }, [list]);
  // Before the browser paints: new rows are measured, and the view is moved to its position.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const rows = [...element.querySelectorAll("[data-index]")];
    for (const row of rows) observer.current?.observe(row);
    if (list.measured(rows.flatMap(heightOf))) render(undefined);
    if (Math.abs(element.scrollTop - list.top) >= 1) element.scrollTop = list.top;
  });
  return { list, apply: () => render(undefined) };
}

function heightOf(element: Element): (readonly [number, number])[] {
  const index = element instanceof HTMLElement ? element.dataset["index"] : undefined;
  return index === undefined ? [] : [[Number(index), element.getBoundingClientRect().height]];
}
