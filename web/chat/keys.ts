import { focusDrawn } from "../kit/focus-drawn.ts";
import { searchBox } from "./list/list-pane.tsx";
import { leave, place, showsHelp } from "./navigation.ts";

/** The page's shortcuts: search, back, help. All other keys are left to the browser and the fields. */
export function onPageKey(event: KeyboardEvent): void {
  if (document.querySelector("dialog[open], [popover]:popover-open") !== null) return;
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
  if ((event.ctrlKey || event.metaKey) && isK(event)) {
    event.preventDefault();
    // In the single-pane layout, the list must be shown to be searched.
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

/** Where keys have no Latin letters, for example in a Russian layout, K is known by its place. */
function isK({ key, code }: KeyboardEvent): boolean {
  return key.toLowerCase() === "k" || (code === "KeyK" && !/^[a-z]$/i.test(key));
}
