import { dictionary } from "./i18n.ts";

/** By transport. Without one here, the definition's label is the name. */
export type MessengerTexts = Readonly<Record<string, string>>;
const names = dictionary<MessengerTexts>(
  {
    en: {},
    ru: {
      whatsapp: "WhatsApp (личный)",
      telegram: "Бот Telegram",
      tgapi: "Telegram (личный)",
      wapi: "WhatsApp Business API",
      vk: "Сообщество VK",
      avito: "Авито",
      max: "MAX (личный)",
      maxbot: "Бот MAX",
    },
  },
  "messengers",
);

/** A messenger's name in the reader's language. */
export function messengerName({ transport, label }: { transport: string; label: string }): string {
  return names.value[transport] ?? label;
}

/** Where people sign in, if it differs from the messenger's name. */
const PROVIDERS: Readonly<Record<string, string>> = { wapi: "Meta", vk: "VK" };

/** The name of the sign-in provider. */
export function signInName(transport: { transport: string; label: string }): string {
  return PROVIDERS[transport.transport] ?? messengerName(transport);
}
