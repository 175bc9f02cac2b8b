import { signal } from "@preact/signals";
import { buttonClass } from "../kit/button.tsx";
import { Guide } from "./frame.tsx";
import type { GuideStep } from "./guides.ts";
import { words } from "./texts/texts.ts";

const PHONES = { android: "Android", iphone: "iPhone" } as const;

/** The person's phone: this one, or as they say. */
const chosen = signal<keyof typeof PHONES>(/iPhone|iPad/.test(navigator.userAgent) ? "iphone" : "android");

/** Instructions whose menus may differ between phones; then the person chooses theirs. */
export function PhoneGuide({ steps }: { readonly steps: readonly GuideStep[] }) {
  const differs = steps.some((step) => typeof step !== "string");
  return (
    <>
      {differs && (
        <fieldset class="flex flex-wrap gap-2" aria-label={words.value.whichPhone}>
          {(["android", "iphone"] as const).map((phone) => (
            <button
              key={phone}
              type="button"
              class={buttonClass(chosen.value === phone ? "primary" : "plain")}
              aria-pressed={chosen.value === phone}
              onClick={() => {
                chosen.value = phone;
              }}
            >
              {PHONES[phone]}
            </button>
          ))}
        </fieldset>
      )}
      <Guide steps={steps.map((step) => (typeof step === "string" ? step : step[chosen.value]))} />
    </>
  );
}
