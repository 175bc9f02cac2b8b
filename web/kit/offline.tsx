import { signal } from "@preact/signals";
import { dictionary } from "./i18n.ts";

const words = dictionary({
  en: { offline: "No connection. Trying again…" },
  ru: { offline: "Нет связи. Пробуем снова…" },
});

/** Whether the last request reached the service. */
export const online = signal(true);

/** A thin bar while there is no connection; the page stays usable. */
export function OfflineBar() {
  return (
    <p
      role="status"
      class="sticky top-0 z-10 bg-wait-bg px-4 py-1 text-center text-sm text-wait empty:hidden"
    >
      {online.value ? null : words.value.offline}
    </p>
  );
}
