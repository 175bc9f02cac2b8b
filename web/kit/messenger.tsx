import { language } from "./i18n.ts";

interface Look {
  readonly letters: string;
  /** Dark enough for white letters. */
  readonly colour: string;
  /** In Russian, where it differs from the definition's label. */
  readonly ru?: string;
  /** Where people sign in, where that is not the messenger's own name. */
  readonly signIn?: string;
}

/** In the order in which people look for them. */
const LOOKS: Readonly<Record<string, Look>> = {
  whatsapp: { letters: "W", colour: "#0a7a3d", ru: "WhatsApp (личный)" },
  telegram: { letters: "T", colour: "#0a6ea8", ru: "Бот Telegram" },
  tgapi: { letters: "TG", colour: "#23616d", ru: "Telegram (личный)" },
  wapi: { letters: "WB", colour: "#0b6b5d", ru: "WhatsApp Business API", signIn: "Meta" },
  vk: { letters: "VK", colour: "#2457d6", ru: "Сообщество VK", signIn: "VK" },
  instagram: { letters: "IG", colour: "#a3266b" },
  avito: { letters: "A", colour: "#7a5300", ru: "Авито" },
  max: { letters: "M", colour: "#6f4bc0", ru: "MAX (личный)" },
  maxbot: { letters: "MB", colour: "#5b3fa8", ru: "Бот MAX" },
  viber: { letters: "V", colour: "#7d4698" },
};
const ORDER = Object.keys(LOOKS);

/** Known ones by use, others after them by their labels. */
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

/** Whom people sign in with. */
export function signInName(transport: { transport: string; label: string }): string {
  return LOOKS[transport.transport]?.signIn ?? messengerName(transport);
}

/** Decorative: the name stands beside it. */
export function MessengerMark({
  transport,
  size = 40,
}: {
  readonly transport: string;
  readonly size?: number;
}) {
  const look = LOOKS[transport] ?? { letters: transport.slice(0, 2).toUpperCase(), colour: "#4a5568" };
  return (
    <span
      class="grid shrink-0 place-items-center rounded-lg text-sm font-semibold text-white"
      style={{ background: look.colour, width: `${size}px`, height: `${size}px` }}
      aria-hidden="true"
    >
      {look.letters}
    </span>
  );
}
