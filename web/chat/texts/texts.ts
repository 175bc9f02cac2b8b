import { signal } from "@preact/signals";
import { type Language, language } from "../../kit/i18n.ts";
import type { en } from "./en.ts";
import type { en as laterEn } from "./later/en.ts";

/** The page's texts in one language; every language has the keys and arguments of English. */
export type Texts = typeof en;
/** Texts of lazily loaded parts, and of errors. */
export type LaterTexts = typeof laterEn;

const loaded = signal<Texts | null>(null);
const loadedLater = signal<LaterTexts | null>(null);
/** Whether the page's texts are loaded. */
export const areTextsLoaded = (): boolean => loaded.value !== null;

/** Loads only the reader's language. */
export async function loadTexts(of: Language = language.value): Promise<void> {
  loaded.value = of === "ru" ? (await import("./ru.ts")).ru : (await import("./en.ts")).en;
}

/** Idempotent: loaded texts are not loaded again. */
export async function loadLaterTexts(of: Language = language.value): Promise<void> {
  loadedLater.value = of === "ru" ? (await import("./later/ru.ts")).ru : (await import("./later/en.ts")).en;
}

/** Changes the language of the whole page, once its texts are loaded. */
export async function changeLanguage(to: Language): Promise<void> {
  await Promise.all([loadTexts(to), loadedLater.value === null ? null : loadLaterTexts(to)]);
  language.value = to;
}

function part<K extends keyof Texts>(key: K): { readonly value: Texts[K] } {
  return {
    get value() {
      return there(loaded.value)[key];
    },
  };
}

function laterPart<K extends keyof LaterTexts>(key: K): { readonly value: LaterTexts[K] } {
  return {
    get value() {
      return there(loadedLater.value)[key];
    },
  };
}

function there<T>(texts: T | null): T {
  if (texts === null) throw new Error("The texts are not loaded yet");
  return texts;
}

export const words = part("page");
export const bubbleWords = part("bubble");
export const composerWords = part("composer");
/** Only for parts loaded with `later`. */
export const detailWords = laterPart("detail");
export const dialogWords = laterPart("dialog");
export const alertWords = laterPart("alert");
export const cardWords = laterPart("card");

/** The text of an error code; undefined also while these texts are loading. */
export function errorText(code: string): string | undefined {
  const known: Readonly<Record<string, string>> = loadedLater.value?.errors ?? {};
  return known[code];
}
