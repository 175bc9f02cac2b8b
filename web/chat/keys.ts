import { focusDrawn } from "../kit/focus-drawn.ts";
import { searchBox } from "./list-pane.tsx";
import { leave, place, showsHelp } from "./navigation.ts";

/** The page's own keys: search, back, help. Nothing else is taken from the browser or from a field. */
export function onPageKey(event: KeyboardEvent): void {
  if (document.querySelector("dialog[open], [popover]:popover-open") !== null) return;
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    // One pane at a time: the list has to be there to be searched.
    if (matchMedia("(width < 600px)").matches) leave();
    focusDrawn(() => searchBox.current);
  } else if (event.key === "Escape" && place.value !== null) {
    const from = document.querySelector<HTMLElement>('[data-row][aria-current="true"]');
    if (matchMedia("(width < 600px)").matches) leave();
    focusDrawn(() => document.querySelector<HTMLElement>('[data-row][tabindex="0"]') ?? from);
  } else if (event.key === "?" && !isTyping) {
    event.preventDefault();
    showsHelp.value = true;
  }
}
