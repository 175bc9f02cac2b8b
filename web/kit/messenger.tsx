import { type Locale, locale } from "./i18n.ts";
import { Drawing } from "./icon.tsx";

interface Look {
  /** Drawn with strokes on a 16 px grid, so that it is recognised; not the logo. */
  readonly mark: string;
  /** Dark enough for white lines. */
  readonly colour: string;
  /** For agents, to whom only the customer's app matters; in all languages if they differ. */
  readonly short: string | Readonly<Record<Locale, string>>;
}

const BUBBLE = "M3 13l.8-2.8A5.3 5.3 0 1 1 6 12.3L3 13Z";
const PLANE = "M2.5 8 13.5 3 11.5 13 8 10l-1.5 2.5-.5-3.5L13.5 3";
const M = "M2.5 12V4.5L8 9l5.5-4.5V12";

/** In the order of popularity. */
const LOOKS: Readonly<Record<string, Look>> = {
  whatsapp: {
    mark: `${BUBBLE}M6.4 5.8c-.2 2.2 1.4 3.8 3.4 3.6`,
    colour: "#0a7a3d",
    short: "WhatsApp",
  },
  telegram: {
    mark: PLANE,
    colour: "#0a6ea8",
    short: { en: "Telegram bot", ru: "Бот Telegram", es: "Bot de Telegram", "pt-BR": "Bot do Telegram" },
  },
  tgapi: { mark: PLANE, colour: "#23616d", short: "Telegram" },
  wapi: {
    mark: `${BUBBLE}M6.7 5.6v4.2h1.7a1.1 1.1 0 0 0 0-2.2H6.7h1.5a1 1 0 0 0 0-2Z`,
    colour: "#0b6b5d",
    short: "WhatsApp Business",
  },
  vk: {
    mark: "M2 5l2.2 6L6.4 5M9 5v6M14 5 9.3 8.2 14 11",
    colour: "#2457d6",
    short: "VK",
  },
  instagram: {
    mark: "M5.5 2.5h5a3 3 0 0 1 3 3v5a3 3 0 0 1-3 3h-5a3 3 0 0 1-3-3v-5a3 3 0 0 1 3-3ZM8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8ZM11.2 4.8v.1",
    colour: "#a3266b",
    short: "Instagram",
  },
  avito: {
    mark: "M5 3a2 2 0 1 0 0 4 2 2 0 0 0 0-4ZM11 3.8a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.4ZM5 9.8a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.4ZM11 9a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z",
    colour: "#7a5300",
    short: { en: "Avito", ru: "Авито", es: "Avito", "pt-BR": "Avito" },
  },
  max: { mark: M, colour: "#6f4bc0", short: "MAX" },
  maxbot: {
    mark: M,
    colour: "#5b3fa8",
    short: { en: "MAX bot", ru: "Бот MAX", es: "Bot de MAX", "pt-BR": "Bot do MAX" },
  },
  viber: {
    mark: "M5 2.5h6a2.5 2.5 0 0 1 2.5 2.5v4A2.5 2.5 0 0 1 11 11.5H8.5L6 14v-2.5H5A2.5 2.5 0 0 1 2.5 9V5A2.5 2.5 0 0 1 5 2.5ZM6.2 5.2c0 2 1.6 3.6 3.6 3.6",
    colour: "#7d4698",
    short: "Viber",
  },
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

/** A messenger's name for agents. */
export function shortName(transport: string): string {
  const short = LOOKS[transport]?.short ?? transport;
  return typeof short === "string" ? short : short[locale.value];
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
  const { mark, colour } = LOOKS[transport] ?? { mark: null, colour: "#4a5568" };
  return (
    <span
      class={`shaped grid shrink-0 place-items-center font-semibold text-white ${isSmall ? "text-badge whitespace-nowrap" : "rounded-lg text-sm"}`}
      style={{ background: colour, width: `${size}px`, height: `${size}px` }}
      aria-hidden="true"
    >
      {mark === null ? (
        transport.slice(0, 2).toUpperCase()
      ) : (
        <Drawing path={mark} size={isSmall ? 14 : size * 0.6} />
      )}
    </span>
  );
}
