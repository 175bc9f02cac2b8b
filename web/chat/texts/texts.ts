import type { FieldTexts } from "../../kit/field.tsx";
import { type Locale, setLocale } from "../../kit/i18n.ts";
import type { LongTextTexts } from "../../kit/long-text.tsx";
import type { OfflineTexts } from "../../kit/offline.tsx";
import type { RestrictionTexts } from "../../kit/restrictions.tsx";
import { loadedTexts, type Wide } from "../../kit/texts.ts";
import type { CannedTexts } from "../canned/words.ts";
import type { en } from "./en.ts";
import type { en as laterEn } from "./later/en.ts";

export type Texts = Wide<typeof en>;
/** Texts of lazily loaded parts, and of errors. */
export type LaterTexts = Wide<typeof laterEn>;
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

const opening = loadedTexts<Texts, OpeningKitTexts>({
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
});
const later = loadedTexts<LaterTexts, LaterKitTexts>({
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
});

/** Whether the page's texts are loaded. */
export const areTextsLoaded = (): boolean => opening.texts.value !== null;
export const { load: loadTexts } = opening;
export const { load: loadLaterTexts } = later;

/** Changes the language of the whole page, once its texts are loaded. */
export async function changeLocale(to: Locale): Promise<void> {
  const hasLater = later.texts.value !== null;
  await loadTexts(to);
  if (hasLater) await loadLaterTexts(to);
  setLocale(to);
}

export const words = opening.part("page");
export const bubbleWords = opening.part("bubble");
export const composerWords = opening.part("composer");
/** Only for parts loaded with `later`. */
export const detailWords = later.part("detail");
export const dialogWords = later.part("dialog");
export const togetherWords = later.part("together");
export const proposalWords = later.part("proposal");
export const alertWords = later.part("alert");
export const cardWords = later.part("card");
export const writingWords = later.part("writing");

/** The text of an error code; undefined also while these texts are loading. */
export function errorText(code: string): string | undefined {
  const known: Readonly<Record<string, string>> = later.texts.value?.errors ?? {};
  return known[code];
}
