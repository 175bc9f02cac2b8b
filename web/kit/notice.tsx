import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

export type Tone = "neutral" | "ok" | "wait" | "bad";

const LOOKS: Readonly<Record<Tone, string>> = {
  neutral: "bg-pane text-ink",
  ok: "bg-ok-bg text-ok",
  wait: "bg-wait-bg text-wait",
  bad: "bg-bad-bg text-bad",
};
const ICONS: Readonly<Record<Tone, IconName>> = { neutral: "info", ok: "check", wait: "clock", bad: "alert" };

/** An event and its remedy; `bad` is announced at once. */
export function Notice({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      class={`shaped flex gap-3 rounded-lg px-4 py-3 ${LOOKS[tone]}`}
    >
      <span class="mt-0.5">
        <Icon name={ICONS[tone]} />
      </span>
      <div class="min-w-0 flex-1">{children}</div>
    </div>
  );
}

/** A label for a state, or a count. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`inline-block rounded-full px-2 py-0.5 text-xs font-semibold wrap-normal ${LOOKS[tone]}`}>
      {children}
    </span>
  );
}
