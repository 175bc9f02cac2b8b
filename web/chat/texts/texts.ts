import { batch, signal } from "@preact/signals";
import type { FieldTexts } from "../../kit/field.tsx";
import { type Locale, locale, setLocale, sharedTexts } from "../../kit/i18n.ts";
import type { LongTextTexts } from "../../kit/long-text.tsx";
import type { OfflineTexts } from "../../kit/offline.tsx";
import type { RestrictionTexts } from "../../kit/restrictions.tsx";
import type { CannedTexts } from "../canned/words.ts";
import type { en } from "./en.ts";
import type { en as laterEn } from "./later/en.ts";

/** The page's texts in one language; every language has the keys and arguments of English. */
export type Texts = Wide<typeof en>;
/** Texts of lazily loaded parts, and of errors. */
export type LaterTexts = Wide<typeof laterEn>;
type Wide<Parts> = {
  readonly [Part in keyof Parts]: {
    readonly [Key in keyof Parts[Part]]: Parts[Part][Key] extends string ? string : Parts[Part][Key];
  };
};
/** Of the components that the page shares with others, which have English and Russian themselves. */
export type OpeningKitTexts = {
  readonly longText: LongTextTexts;
  readonly offline: OfflineTexts;
};
/** The same of lazily loaded parts, and of canned answers. */
export type LaterKitTexts = {
  readonly field: FieldTexts;
  readonly restrictions: RestrictionTexts;
  readonly canned: CannedTexts;
};

/** The languages of the page. */
export const LOCALES: readonly Locale[] = ["en", "ru", "es", "pt-BR"];

const loaded = signal<Texts | null>(null);
const loadedLater = signal<LaterTexts | null>(null);
/** Whether the page's texts are loaded. */
export const areTextsLoaded = (): boolean => loaded.value !== null;

/** Loads only the reader's language. */
export async function loadTexts(of: Locale = locale.value): Promise<void> {
  const { texts, kit } = await OPENING[of]();
  batch(() => {
    loaded.value = texts;
    sharedTexts.value = kit;
  });
}

/** Idempotent: loaded texts are not loaded again. */
export async function loadLaterTexts(of: Locale = locale.value): Promise<void> {
  const { texts, kit } = await LATER[of]();
  batch(() => {
    loadedLater.value = texts;
    if (kit !== null) sharedTexts.value = { ...sharedTexts.value, ...kit };
  });
}

interface Loaded<Of, Kit> {
  readonly texts: Of;
  /** Null: the shared components have their own in this language. */
  readonly kit: Kit | null;
}
type Loaders<Of, Kit> = Readonly<Record<Locale, () => Promise<Loaded<Of, Kit>>>>;

const OPENING: Loaders<Texts, OpeningKitTexts> = {
  en: async () => ({ texts: (await import("./en.ts")).en, kit: null }),
  ru: async () => ({ texts: (await import("./ru.ts")).ru, kit: null }),
  async es() {
    const { es: texts, kit } = await import("./es.ts");
    return { texts, kit };
  },
  async "pt-BR"() {
    const { pt: texts, kit } = await import("./pt.ts");
    return { texts, kit };
  },
};
const LATER: Loaders<LaterTexts, LaterKitTexts> = {
  en: async () => ({ texts: (await import("./later/en.ts")).en, kit: null }),
  ru: async () => ({ texts: (await import("./later/ru.ts")).ru, kit: null }),
  async es() {
    const { es: texts, kit } = await import("./later/es.ts");
    return { texts, kit };
  },
  async "pt-BR"() {
    const { pt: texts, kit } = await import("./later/pt.ts");
    return { texts, kit };
  },
};

/** Changes the language of the whole page, once its texts are loaded. */
export async function changeLocale(to: Locale): Promise<void> {
  const hasLater = loadedLater.value !== null;
  await loadTexts(to);
  if (hasLater) await loadLaterTexts(to);
  setLocale(to);
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
