import type { ComponentType } from "preact";
import { lazy } from "../kit/lazy.tsx";
import { loadLaterTexts } from "./texts/texts.ts";

/** Until the page has drawn what it opens with. */
const CALM_MS = 1_500;

/** Loads what the next press is likely to need, so that it is there at once, also when the connection is lost by then. */
export function loadAhead(): void {
  setTimeout(() => {
    void Promise.allSettled([
      loadLaterTexts(),
      import("./bubble-trouble.tsx"),
      import("./composer-parts.tsx"),
      import("./actions-menu.tsx"),
      import("./upload.ts"),
    ]);
  }, CALM_MS);
}

/** A part of the page that is loaded when it is first shown, with the texts that only such parts need. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => (await Promise.all([load(), loadLaterTexts()]))[0]);
}
