import { computed, signal } from "@preact/signals";

export type Language = "en" | "ru";
const LANGUAGES: readonly Language[] = ["en", "ru"];

/** `?lang=` first, then the browser's languages, else English. */
export function preferredLanguage(search: string, wanted: readonly string[]): Language {
  const asked = new URLSearchParams(search).get("lang");
  for (const each of [asked ?? "", ...wanted]) {
    const found = languageOf(each);
    if (found !== null) return found;
  }
  return "en";
}

/** The language of a tag such as `ru-RU`; null: the pages do not have it. */
export function languageOf(tag: string): Language | null {
  return LANGUAGES.find((language) => tag.toLowerCase().split("-")[0] === language) ?? null;
}

export const language = signal<Language>(
  typeof location === "undefined" ? "en" : preferredLanguage(location.search, navigator.languages),
);

type Entry = string | ((...args: never[]) => string);
type Same<T> = { readonly [K in keyof T]: T[K] extends string ? string : T[K] };

/** Texts in all languages; Russian must have the keys and arguments of English to compile. */
export function dictionary<const En extends Readonly<Record<string, Entry>>>(texts: {
  readonly en: En;
  readonly ru: Same<En>;
}): { readonly value: Same<En> } {
  return computed(() => (language.value === "ru" ? texts.ru : (texts.en as Same<En>)));
}

const RULES = { en: new Intl.PluralRules("en"), ru: new Intl.PluralRules("ru") };

/** English plural of a count: `one` for 1, else `other`. */
export function pluralEn(count: number, forms: { readonly one: string; readonly other: string }): string {
  return RULES.en.select(count) === "one" ? forms.one : forms.other;
}

/** Russian plural of a whole number: 1, 21 → `one`; 2–4, 22 → `few`; 0, 5–20 → `many`. */
export function pluralRu(
  count: number,
  forms: { readonly one: string; readonly few: string; readonly many: string },
): string {
  const rule = RULES.ru.select(count);
  return rule === "one" ? forms.one : rule === "few" ? forms.few : forms.many;
}
