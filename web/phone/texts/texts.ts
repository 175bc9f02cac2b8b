import type { Words } from "../../../sandbox/phone/shape.ts";
import type { FieldTexts } from "../../kit/field.tsx";
import { type Locale, locale } from "../../kit/i18n.ts";
import type { LongTextTexts } from "../../kit/long-text.tsx";
import type { OfflineTexts } from "../../kit/offline.tsx";
import { loadedTexts, type Wide } from "../../kit/texts.ts";
import type { en } from "./en.ts";

export type Texts = Wide<typeof en>;
/** Of the components that the page shares with others, which have English and Russian themselves. */
export type KitTexts = {
  readonly field: FieldTexts;
  readonly longText: LongTextTexts;
  readonly offline: OfflineTexts;
};

/** The languages of the page. */
export const LOCALES: readonly Locale[] = ["en", "ru", "es", "pt-BR"];

const all = loadedTexts<Texts, KitTexts>({
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
export const { load: loadTexts } = all;

/** The texts of the page. */
export const words = all.part("page");
/** Names of message kinds, by look. */
export const looks = all.part("looks");

/** A text of the sandbox in the reader's language. */
export function said(texts: Words): string {
  return texts[locale.value];
}
