import { batch, computed, signal } from "@preact/signals";

/** A language that every page has. */
export type Language = "en" | "ru";
/** A language that some pages have: their texts are loaded when it is chosen, and shared components take theirs from it. */
export type Locale = Language | "es" | "pt-BR";
const LANGUAGES: readonly Language[] = ["en", "ru"];

/** `?lang=` first, then the browser's languages, else English. */
export function preferredLocale<Of extends Locale>(
  search: string,
  wanted: readonly string[],
  offered: readonly Of[],
): Of | "en" {
  const asked = new URLSearchParams(search).get("lang");
  for (const each of [asked ?? "", ...wanted]) {
    const found = localeOf(each, offered);
    if (found !== null) return found;
  }
  return "en";
}

/** The offered language of a tag such as `ru-RU` or `pt`; null: it is not offered. */
export function localeOf<Of extends Locale>(tag: string, offered: readonly Of[]): Of | null {
  const [asked] = tag.toLowerCase().split("-");
  return offered.find((each) => each.split("-")[0] === asked) ?? null;
}

const first = <Of extends Locale>(offered: readonly Of[]) =>
  typeof location === "undefined" ? "en" : preferredLocale(location.search, navigator.languages, offered);

/** The language of texts that exist in two languages only. */
const language = signal<Language>(first(LANGUAGES));
/** The language of the page. */
export const locale = signal<Locale>(language.value);

export function setLocale(to: Locale): void {
  batch(() => {
    locale.value = to;
    language.value = to === "ru" ? to : "en";
  });
}

/** Call it before anything is rendered, in a page that has more languages. */
export function offerLocales(offered: readonly Locale[]): void {
  setLocale(first(offered));
}

type Entry = string | ((...args: never[]) => string);
type Same<T> = { readonly [K in keyof T]: T[K] extends string ? string : T[K] };
/** The texts of a dictionary, in any language. */
export type TextsOf<Dictionary> = Dictionary extends { readonly value: infer Texts } ? Texts : never;

/** Texts of shared components in the page's language, by the component's name. Null: those of `language`. */
export const sharedTexts = signal<Readonly<Record<string, object>> | null>(null);

/**
 * Texts in all languages; Russian must have the keys and arguments of English to compile. `shared`: the name by which
 * pages in other languages bring their texts.
 */
export function dictionary<const En extends Readonly<Record<string, Entry>>>(
  texts: { readonly en: En; readonly ru: Same<En> },
  shared = "",
): { readonly value: Same<En> } {
  return computed(
    () =>
      (sharedTexts.value?.[shared] as Same<En> | undefined) ??
      (language.value === "ru" ? texts.ru : (texts.en as Same<En>)),
  );
}

const rules = new Map<Locale, Intl.PluralRules>();

/** The form of a count in a language with two; millions have the second, too. */
export function plural(
  of: Locale,
  count: number,
  forms: { readonly one: string; readonly other: string },
): string {
  const known = rules.get(of) ?? new Intl.PluralRules(of);
  rules.set(of, known);
  return known.select(count) === "one" ? forms.one : forms.other;
}

const russian = new Intl.PluralRules("ru");

/** English plural of a count: `one` for 1, else `other`. */
export function pluralEn(count: number, forms: { readonly one: string; readonly other: string }): string {
  return plural("en", count, forms);
}

/** Russian plural of a whole number: 1, 21 → `one`; 2–4, 22 → `few`; 0, 5–20 → `many`. */
export function pluralRu(
  count: number,
  forms: { readonly one: string; readonly few: string; readonly many: string },
): string {
  const rule = russian.select(count);
  return rule === "one" ? forms.one : rule === "few" ? forms.few : forms.many;
}
