import { signal } from "@preact/signals";
import { type Language, language } from "../../kit/i18n.ts";
import type { en } from "./en.ts";

/** What the page says, in one language; every language has the keys and arguments of English. */
export type Texts = typeof en;

const loaded = signal<Texts | null>(null);
/** Whether the page can speak yet. */
export const areTextsLoaded = (): boolean => loaded.value !== null;

/** Loads the reader's language alone: others cost nothing. */
export async function loadTexts(of: Language = language.value): Promise<void> {
  loaded.value = of === "ru" ? (await import("./ru.ts")).ru : (await import("./en.ts")).en;
}

function part<K extends keyof Texts>(key: K): { readonly value: Texts[K] } {
  return {
    get value() {
      if (loaded.value === null) throw new Error("The texts are not loaded yet");
      return loaded.value[key];
    },
  };
}

export const words = part("page");
export const bubbleWords = part("bubble");
export const composerWords = part("composer");
export const detailWords = part("detail");
export const errors = part("errors");
