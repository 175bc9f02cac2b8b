import { type Language, language } from "../kit/i18n.ts";

/** A step whose menus may differ between phones. */
export type GuideStep = string | { readonly android: string; readonly iphone: string };
type Steps = Readonly<Record<Language, readonly string[]>>;
type PhoneSteps = Readonly<Record<Language, readonly GuideStep[]>>;

/** Instructions for scanning a code, with the names of the messenger's own menus. */
const SCANNING: Readonly<Record<string, PhoneSteps>> = {
  whatsapp: {
    en: [
      "Open WhatsApp on the phone.",
      {
        android: "Tap ⋮ at the top right, then Linked devices.",
        iphone: "Tap Settings at the bottom right, then Linked devices.",
      },
      "Tap Link a device and point the phone at the code.",
    ],
    ru: [
      "Откройте WhatsApp на телефоне.",
      {
        android: "Нажмите ⋮ справа вверху, затем «Связанные устройства».",
        iphone: "Нажмите «Настройки» справа внизу, затем «Связанные устройства».",
      },
      "Нажмите «Привязка устройства» и наведите камеру на код.",
    ],
  },
  tgapi: {
    en: [
      "Open Telegram on the phone.",
      {
        android: "Tap ☰ at the top left, then Settings → Devices → Link Desktop Device.",
        iphone: "Tap Settings at the bottom right, then Devices → Link Desktop Device.",
      },
      "Point the phone at the code.",
    ],
    ru: [
      "Откройте Telegram на телефоне.",
      {
        android: "Нажмите ☰ слева вверху, затем «Настройки» → «Устройства» → «Подключить устройство».",
        iphone: "Нажмите «Настройки» справа внизу, затем «Устройства» → «Подключить устройство».",
      },
      "Наведите камеру на код.",
    ],
  },
  max: {
    en: ["Open MAX on the phone.", "Profile → Devices → Sign in by QR code.", "Point the phone at the code."],
    ru: [
      "Откройте MAX на телефоне.",
      "«Профиль» → «Устройства» → «Войти по QR-коду».",
      "Наведите камеру на код.",
    ],
  },
};

/** Instructions for the messenger, with the names of its own menus. */
const GUIDES: Readonly<Record<string, Steps>> = {
  telegram: {
    en: [
      "Open @BotFather in Telegram and send /newbot, or /token for a bot that you have.",
      "Copy the token that it answers with and paste it here.",
    ],
    ru: [
      "Откройте в Telegram @BotFather и отправьте /newbot или /token для готового бота.",
      "Скопируйте токен из ответа и вставьте сюда.",
    ],
  },
  maxbot: {
    en: ["Open business.max.ru → Chatbots → your bot → Integration.", "Copy the token and paste it here."],
    ru: [
      "Откройте business.max.ru → «Чат-боты» → ваш бот → «Интеграция».",
      "Скопируйте токен и вставьте сюда.",
    ],
  },
  vk: {
    en: [
      "Open the community: Manage → Messages, and switch community messages on. For buttons allow bots under Bot settings.",
      "Manage → API usage → Create key: community management, messages, photos, files.",
      "Copy the key and paste it here.",
    ],
    ru: [
      "Откройте сообщество: «Управление» → «Сообщения» и включите сообщения. Для кнопок включите «Возможности ботов».",
      "«Управление» → «Работа с API» → «Создать ключ»: управление сообществом, сообщения, фотографии, документы.",
      "Скопируйте ключ и вставьте сюда.",
    ],
  },
  wapi: {
    en: [
      "Open Meta Business Settings → System users and create a token for WhatsApp.",
      "Copy the ids from WhatsApp Manager → Phone numbers.",
    ],
    ru: [
      "Откройте настройки Meta Business → «Системные пользователи» и создайте токен для WhatsApp.",
      "Скопируйте идентификаторы из WhatsApp Manager → «Номера телефонов».",
    ],
  },
  avito: {
    en: [
      "Open Avito for Business → Settings → Integrations and create an application.",
      "Copy its client id and secret. The messenger's API needs a subscription that includes it.",
    ],
    ru: [
      "Откройте Авито для бизнеса → «Настройки» → «Интеграции» и создайте приложение.",
      "Скопируйте client id и secret. Для API мессенджера нужна подписка, в которую он входит.",
    ],
  },
  instagram: {
    en: [
      "The account must be professional: Settings → Account type.",
      "Create a token for it in your Meta app.",
    ],
    ru: [
      "Аккаунт должен быть профессиональным: «Настройки» → «Тип аккаунта».",
      "Создайте для него токен в своём приложении Meta.",
    ],
  },
  viber: {
    en: ["Get a link and open it on the phone with Viber.", "Press Start in the chat that opens."],
    ru: ["Получите ссылку и откройте её на телефоне с Viber.", "В открывшемся чате нажмите «Начать»."],
  },
};

/** Entering a pairing code instead of scanning. */
const PAIRING: Readonly<Record<string, PhoneSteps>> = {
  whatsapp: {
    en: [
      {
        android: "Open WhatsApp on this phone: ⋮ → Linked devices → Link a device.",
        iphone: "Open WhatsApp on this phone: Settings → Linked devices → Link a device.",
      },
      "Tap Link with phone number instead.",
      "Type the code.",
    ],
    ru: [
      {
        android: "Откройте WhatsApp на этом телефоне: ⋮ → «Связанные устройства» → «Привязка устройства».",
        iphone:
          "Откройте WhatsApp на этом телефоне: «Настройки» → «Связанные устройства» → «Привязка устройства».",
      },
      "Нажмите «Связать по номеру телефона».",
      "Введите код.",
    ],
  },
};

/** Titles of credentials in Russian; English ones are in the definitions. */
const TITLES_RU: Readonly<Record<string, string>> = {
  telegram_token: "Токен бота",
  access_token: "Ключ доступа",
  phone_number_id: "Идентификатор номера",
  waba_id: "Идентификатор WhatsApp Business",
  app_secret: "Секрет приложения",
  client_id: "Client id",
  client_secret: "Client secret",
  code: "Код авторизации",
  user_token: "Токен пользователя",
  page_id: "Идентификатор страницы Facebook",
  inst_id: "Идентификатор аккаунта",
  username: "Имя пользователя",
  viber_token: "Токен бота",
  welcome: "Приветствие",
};

export function guideOf(transport: string): readonly string[] {
  return GUIDES[transport]?.[language.value] ?? [];
}

export function scanGuideOf(transport: string): readonly GuideStep[] {
  return SCANNING[transport]?.[language.value] ?? [];
}

export function pairingGuideOf(transport: string): readonly GuideStep[] {
  return PAIRING[transport]?.[language.value] ?? scanGuideOf(transport);
}

/** Title and hint of a credential; without a Russian text, the definition's. */
export function fieldWords(field: { name: string; title: string; description: string }): {
  title: string;
  hint: string | undefined;
} {
  const ru = language.value === "ru" ? TITLES_RU[field.name] : undefined;
  if (ru !== undefined) return { title: ru, hint: undefined };
  return { title: field.title, hint: field.description === "" ? undefined : field.description };
}
