import { signal } from "@preact/signals";
import { dictionary, type TextsOf } from "./i18n.ts";

const words = dictionary(
  {
    en: {
      offline: "No connection. Trying again…",
      crowded: "Too many pages are open: changes show late. Trying again…",
    },
    ru: {
      offline: "Нет связи. Пробуем снова…",
      crowded: "Открыто слишком много страниц: изменения видны с задержкой. Пробуем снова…",
    },
  },
  "offline",
);
export type OfflineTexts = TextsOf<typeof words>;

/** Whether the last request reached the service. */
export const online = signal(true);

/** Whether the service has refused to report changes at once, because it does so for too many pages. */
export const crowded = signal(false);

/** A thin bar while there is no connection, or no changes are reported; the page stays usable. */
export function OfflineBar() {
  return (
    <p
      role="status"
      class="sticky top-0 z-10 bg-wait-bg px-4 py-1 text-center text-sm text-wait empty:hidden"
    >
      {online.value ? (crowded.value ? words.value.crowded : null) : words.value.offline}
    </p>
  );
}
