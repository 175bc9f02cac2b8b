import type { ComponentType } from "preact";
import { lazy } from "../kit/lazy.tsx";
import { loadLaterTexts } from "./texts/texts.ts";

/** Time until the page has rendered its first content. */
const CALM_MS = 1_500;

/**
 * Preloads every part of the page: first what the next action is likely to need, so that it is available at once, then
 * the others, so that nothing is missing if the connection is lost, or if the service is upgraded and no longer has the
 * scripts of this page. A part that fails is loaded again when it is shown. The names of emoji and the
 * player of stickers are large, and left out.
 */
export function loadAhead(): void {
  const load = async (): Promise<void> => {
    await Promise.allSettled([
      loadLaterTexts(),
      import("./thread/bubble-trouble.tsx"),
      import("./composer/composer-parts.tsx"),
      import("./composer/restriction-note.tsx"),
      import("./thread/actions-menu.tsx"),
      import("./thread/show-mark.ts"),
      import("./composer/upload.ts"),
      import("./canned/answer-list.tsx"),
    ]);
    const { loadParts } = await import("./all-parts.ts");
    await loadParts();
  };
  setTimeout(() => load().catch(() => undefined), CALM_MS);
}

/** A component that is loaded when it is first shown, with its texts. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => (await Promise.all([load(), loadLaterTexts()]))[0]);
}

/** The parts for working together, which are one script. */
export const togetherParts = () => import("./together/parts.ts");
