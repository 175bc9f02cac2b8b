import { Button } from "../../kit/button.tsx";
import { notifications, sound } from "../preference.ts";
import { alertWords } from "../texts/texts.ts";
import { asksNotifications } from "./alerts.ts";

/** Asks the browser for its permission; the employee's choice is what it answers. */
export async function turnOnNotifications(): Promise<void> {
  notifications.set((await Notification.requestPermission()) === "granted");
}

/** Asks once, after a message was missed, whether the browser may show messages. */
export function AskNotifications() {
  const { askNotifications, yes, no } = alertWords.value;
  const answer = (isWanted: boolean) => {
    asksNotifications.value = false;
    if (isWanted) void turnOnNotifications();
    else notifications.set(false);
  };
  return (
    <section
      aria-label={askNotifications}
      class="flex flex-wrap items-center justify-end gap-2 border-b border-line px-4 py-2 print:hidden"
    >
      <p class="min-w-40 flex-1">{askNotifications}</p>
      <Button onPress={() => answer(false)}>{no}</Button>
      <Button look="primary" onPress={() => answer(true)}>
        {yes}
      </Button>
    </section>
  );
}

/** Which alerts the employee wants. */
export function AlertSettings() {
  const texts = alertWords.value;
  const isRefused = !("Notification" in window) || Notification.permission === "denied";
  return (
    <fieldset class="mt-4 grid border-t border-line pt-4">
      <legend class="float-left font-semibold">{texts.title}</legend>
      <label class="flex min-h-10 items-center gap-2">
        <input
          type="checkbox"
          class="accent-accent"
          checked={sound.value !== false}
          onChange={(event) => sound.set(event.currentTarget.checked)}
        />
        {texts.sound}
      </label>
      <label class="flex min-h-10 items-center gap-2">
        <input
          type="checkbox"
          class="accent-accent"
          disabled={isRefused}
          checked={!isRefused && notifications.value === true}
          onChange={(event) =>
            event.currentTarget.checked ? void turnOnNotifications() : notifications.set(false)
          }
        />
        {texts.notifications}
      </label>
      {isRefused && <p class="text-sm text-dim">{texts.refused}</p>}
    </fieldset>
  );
}
