import type { ComponentType } from "preact";
import { lazy } from "../kit/lazy.tsx";
import { loadLaterTexts } from "./texts/texts.ts";

/** Time until the page has rendered its first content. */
const CALM_MS = 1_500;

/**
 * Preloads what the next action is likely to need, so that it is available at once, even if the connection is lost by
 * then.
 */
export function loadAhead(): void {
  setTimeout(() => {
    void Promise.allSettled([
      loadLaterTexts(),
      import("./thread/bubble-trouble.tsx"),
      import("./composer/composer-parts.tsx"),
      import("./thread/actions-menu.tsx"),
      import("./composer/upload.ts"),
      import("./canned/answer-list.tsx"),
    ]);
  }, CALM_MS);
}

/** A component that is loaded when it is first shown, with its texts. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => (await Promise.all([load(), loadLaterTexts()]))[0]);
}
