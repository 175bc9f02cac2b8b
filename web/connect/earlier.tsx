import { locale } from "../kit/i18n.ts";
import { connectWith } from "./form.tsx";
import type { Channel } from "./state.ts";
import { earlierWords as words } from "./texts/texts.ts";
import { useAction } from "./use-action.ts";

/** As much as the interface allows. */
const ALL_DAYS = 3_650;

/** How much of what was written before is imported; the phone is asked for it when it links the channel. */
export function EarlierChoice({ channel: { history, transport } }: { readonly channel: Channel }) {
  const { busy, problem, run } = useAction();
  const now = history?.days ?? 0;
  // The client may have asked for another number.
  const choices = [...new Set([0, 30, 90, now, ALL_DAYS])].toSorted((a, b) => a - b);
  return (
    <label class="grid gap-1 font-semibold">
      {words.value.label}
      <select
        class="h-11 w-full min-w-0 rounded-md border border-edge bg-bg px-3 font-normal"
        value={now}
        disabled={busy}
        onChange={({ currentTarget: { value } }) =>
          run(() => connectWith(transport, {}, { days: Number(value) }))
        }
      >
        {choices.map((days) => (
          <option key={days} value={days}>
            {days === 0 ? words.value.none : days === ALL_DAYS ? words.value.all : inDays(days)}
          </option>
        ))}
      </select>
      {problem}
    </label>
  );
}

function inDays(days: number): string {
  return days.toLocaleString(locale.value, { style: "unit", unit: "day", unitDisplay: "long" });
}
