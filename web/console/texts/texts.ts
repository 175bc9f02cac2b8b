import type { FieldTexts } from "../../kit/field.tsx";
import { type Locale, preferredLocale, setLocale } from "../../kit/i18n.ts";
import type { LongTextTexts } from "../../kit/long-text.tsx";
import type { MessengerTexts } from "../../kit/messenger-name.ts";
import type { OfflineTexts } from "../../kit/offline.tsx";
import type { RestrictionTexts } from "../../kit/restrictions.tsx";
import { loadedTexts, type Wide } from "../../kit/texts.ts";
import type { en } from "./en.ts";

export type Texts = Wide<typeof en>;
/** Of the components that the page shares with others, which have English and Russian themselves. */
export type KitTexts = {
  readonly field: FieldTexts;
  readonly longText: LongTextTexts;
  readonly messengers: MessengerTexts;
  readonly offline: OfflineTexts;
  readonly restrictions: RestrictionTexts;
};

/** The languages of the page, by their own names. */
export const LANGUAGES: Readonly<Record<Locale, string>> = {
  en: "English",
  ru: "Русский",
  es: "Español",
  "pt-BR": "Português (Brasil)",
};
const LOCALES = Object.keys(LANGUAGES) as readonly Locale[];

const loaded = loadedTexts<Texts, KitTexts>({
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
export const { load: loadTexts } = loaded;

const CHOSEN = "trunkline-language";

/** The language in the address, else the one that was chosen in this browser, else one of the browser's. */
export function preferLanguage(): void {
  const chosen = localStorage.getItem(CHOSEN) ?? "";
  setLocale(preferredLocale(location.search, [chosen, ...navigator.languages], LOCALES));
}

/** Changes the language of the page once its texts are loaded, also for later visits in this browser. */
export async function chooseLanguage(to: Locale): Promise<void> {
  await loadTexts(to);
  setLocale(to);
  localStorage.setItem(CHOSEN, to);
}

export const commonWords = loaded.part("common");
/** Texts of the service's refusals. */
export const refusals = loaded.part("refusals");
export const channelStates = loaded.part("channelStates");
export const signInWords = loaded.part("signIn");
export const meWords = loaded.part("me");
export const peopleWords = loaded.part("people");
export const overviewWords = loaded.part("overview");
export const chartsWords = loaded.part("charts");
export const channelsWords = loaded.part("channels");
export const channelWords = loaded.part("channel");
export const noticeWords = loaded.part("notice");
export const remedies = loaded.part("remedies");
export const actionsWords = loaded.part("actions");
export const pacingWords = loaded.part("pacing");
export const waits = loaded.part("waits");
export const queueWords = loaded.part("queue");
export const refusedWords = loaded.part("refused");
export const logWords = loaded.part("log");
export const recordingWords = loaded.part("recording");
export const messagesWords = loaded.part("messages");
export const messageWords = loaded.part("message");
export const webhooksWords = loaded.part("webhooks");
export const receiverWords = loaded.part("receiver");
export const deliveryWords = loaded.part("delivery");
export const replayWords = loaded.part("replay");
export const progressWords = loaded.part("progress");
export const accountsWords = loaded.part("accounts");
export const partnersWords = loaded.part("partners");
export const templatesWords = loaded.part("templates");
export const exportsWords = loaded.part("exports");
export const systemWords = loaded.part("system");
export const alertsWords = loaded.part("alerts");
