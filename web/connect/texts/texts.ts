import type { FieldTexts } from "../../kit/field.tsx";
import type { Locale } from "../../kit/i18n.ts";
import type { MessengerTexts } from "../../kit/messenger-name.ts";
import type { OfflineTexts } from "../../kit/offline.tsx";
import type { RestrictionTexts } from "../../kit/restrictions.tsx";
import { loadedTexts, type Wide } from "../../kit/texts.ts";
import type { en } from "./en.ts";
import type { en as laterEn } from "./later/en.ts";

export interface Texts extends Wide<Omit<typeof en, "fields">> {
  /** Titles of credentials; in English, the definitions of the transports have them. */
  readonly fields: Readonly<Record<string, string>>;
}
/** Texts of lazily loaded parts. */
export type LaterTexts = Wide<typeof laterEn>;
/** Of the components that the page shares with others, which have English and Russian themselves. */
export type OpeningKitTexts = {
  readonly field: FieldTexts;
  readonly offline: OfflineTexts;
  readonly messengers: MessengerTexts;
};
/** The same of lazily loaded parts. */
export type LaterKitTexts = { readonly restrictions: RestrictionTexts };

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
export const { load: loadTexts } = opening;
export const { load: loadLaterTexts } = later;

export const words = opening.part("page");
/** How a messenger is connected, below its name. */
export const ways = opening.part("ways");
/** Why a channel does not work, and the remedy, for each reason of the interface's status table. */
export const reasons = opening.part("reasons");
/** Texts of the service's refusals. */
export const refusals = opening.part("refusals");
/** Instructions for scanning a code, with the names of the messenger's own menus. */
export const scanning = opening.part("scanning");
/** Instructions for the messenger, likewise. */
export const guides = opening.part("guides");
/** Entering a pairing code instead of scanning. */
export const pairing = opening.part("pairing");
export const fieldTitles = opening.part("fields");
/** Only for parts loaded with `later`. */
export const passkeyWords = later.part("passkey");
export const nextWords = later.part("next");
export const earlierWords = later.part("earlier");
