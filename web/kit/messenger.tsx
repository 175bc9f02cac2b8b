import { language } from "./i18n.ts";

interface Look {
  readonly letters: string;
  /** Dark enough for white letters. */
  readonly colour: string;
  /** For agents, to whom only the customer's app matters; both languages if they differ. */
  readonly short: string | { readonly en: string; readonly ru: string };
  /** In Russian, if it differs from the definition's label. */
  readonly ru?: string;
  /** Where people sign in, if it differs from the messenger's name. */
  readonly signIn?: string;
}

/** In the order of popularity. */
const LOOKS: Readonly<Record<string, Look>> = {
  whatsapp: { letters: "W", colour: "#0a7a3d", short: "WhatsApp", ru: "WhatsApp (личный)" },
  telegram: {
    letters: "T",
    colour: "#0a6ea8",
    short: { en: "Telegram bot", ru: "Бот Telegram" },
    ru: "Бот Telegram",
  },
  tgapi: { letters: "TG", colour: "#23616d", short: "Telegram", ru: "Telegram (личный)" },
  wapi: {
    letters: "WB",
    colour: "#0b6b5d",
    short: "WhatsApp Business",
    ru: "WhatsApp Business API",
    signIn: "Meta",
  },
  vk: { letters: "VK", colour: "#2457d6", short: "VK", ru: "Сообщество VK", signIn: "VK" },
  instagram: { letters: "IG", colour: "#a3266b", short: "Instagram" },
  avito: { letters: "A", colour: "#7a5300", short: { en: "Avito", ru: "Авито" }, ru: "Авито" },
  max: { letters: "M", colour: "#6f4bc0", short: "MAX", ru: "MAX (личный)" },
  maxbot: { letters: "MB", colour: "#5b3fa8", short: { en: "MAX bot", ru: "Бот MAX" }, ru: "Бот MAX" },
  viber: { letters: "V", colour: "#7d4698", short: "Viber" },
};
const ORDER = Object.keys(LOOKS);

/** Known ones by popularity, then others by label. */
export function byUse(
  a: { transport: string; label: string },
  b: { transport: string; label: string },
): number {
  return place(a.transport) - place(b.transport) || a.label.localeCompare(b.label);
}

function place(transport: string): number {
  const found = ORDER.indexOf(transport);
  return found < 0 ? ORDER.length : found;
}

/** A messenger's name in the reader's language. */
export function messengerName({ transport, label }: { transport: string; label: string }): string {
  return (language.value === "ru" ? LOOKS[transport]?.ru : undefined) ?? label;
}

/** A messenger's name for agents. */
export function shortName(transport: string): string {
  const short = LOOKS[transport]?.short ?? transport;
  return typeof short === "string" ? short : short[language.value];
}

/** The name of the sign-in provider. */
export function signInName(transport: { transport: string; label: string }): string {
  return LOOKS[transport.transport]?.signIn ?? messengerName(transport);
}

/** Decorative: the name is beside it. */
export function MessengerMark({
  transport,
  size = 40,
  isSmall = false,
}: {
  readonly transport: string;
  readonly size?: number;
  /** A badge on something else. */
  readonly isSmall?: boolean;
}) {
  const look = LOOKS[transport] ?? { letters: transport.slice(0, 2).toUpperCase(), colour: "#4a5568" };
  return (
    <span
      class={`grid shrink-0 place-items-center font-semibold text-white ${isSmall ? "text-badge whitespace-nowrap" : "rounded-lg text-sm"}`}
      style={{ background: look.colour, width: `${size}px`, height: `${size}px` }}
      aria-hidden="true"
    >
      {look.letters}
    </span>
  );
}
