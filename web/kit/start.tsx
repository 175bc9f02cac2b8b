import { effect } from "@preact/signals";
import { type ComponentChild, render } from "preact";
import { applyAppearance } from "./appearance.ts";
import { locale } from "./i18n.ts";

/** Renders a page with the appearance and language in its address. */
export function startPage(content: ComponentChild): void {
  applyAppearance(location.search, document.documentElement);
  effect(() => {
    document.documentElement.lang = locale.value;
  });
  const app = document.getElementById("app");
  if (app !== null) render(content, app);
}
