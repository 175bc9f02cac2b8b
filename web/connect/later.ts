import type { ComponentType } from "preact";
import { lazy } from "../kit/lazy.tsx";
import { loadLaterTexts } from "./texts/texts.ts";

/** A component that is loaded when it is first shown, with its texts. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => (await Promise.all([load(), loadLaterTexts()]))[0]);
}
