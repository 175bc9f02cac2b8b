import type { Message } from "../../sandbox/phone/shape.ts";
import { words } from "./texts/texts.ts";

type State = NonNullable<Message["state"]>;

const LINES: Readonly<Record<State, string>> = {
  sent: "m5.5 6.5 3 3 6-7",
  delivered: "m2 6.5 3 3 6-7M9.3 9l.5.5 6-7",
  read: "m2 6.5 3 3 6-7M9.3 9l.5.5 6-7",
  failed: "M10 1a5 5 0 1 0 0 10 5 5 0 0 0 0-10ZM10 3.5v3M10 8.6v.1",
};

/** How far the person's own message got, as messengers show it: each state has its own shape and name. */
export function Ticks({ state }: { readonly state: State }) {
  const { stateSent, stateDelivered, stateRead, stateFailed } = words.value;
  const names = { sent: stateSent, delivered: stateDelivered, read: stateRead, failed: stateFailed };
  const isRead = state === "read";
  return (
    <svg
      class={`shrink-0 ${isRead ? "text-accent-text" : state === "failed" ? "text-bad" : ""}`}
      width="20"
      height="12"
      viewBox="0 0 20 12"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      role="img"
      aria-label={names[state]}
    >
      {isRead && <rect x="0" y="0" width="18" height="12" rx="6" fill="currentColor" stroke="none" />}
      <path d={LINES[state]} stroke={isRead ? "var(--out)" : "currentColor"} />
    </svg>
  );
}
