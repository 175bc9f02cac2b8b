import { signal } from "@preact/signals";
import type { Pane } from "./pane.ts";

const KEY = "phone-seen";

/** By phone and chat, how many messages from others its person has had on the screen. Kept in the browser. */
const seen = signal<Readonly<Record<string, number>>>(stored());

function stored(): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}

function keyOf(messenger: string, { person, chat }: Pane): string {
  return `${messenger} ${person} ${chat}`;
}

/** How many of the messages that a chat has from others were never on the screen. */
export function unreadIn(messenger: string, pane: Pane, received: number): number {
  return Math.max(0, received - (seen.value[keyOf(messenger, pane)] ?? 0));
}

/** The chat is on the screen with so many messages from others; less than before if some were deleted. */
export function markSeen(messenger: string, pane: Pane, received: number): void {
  const key = keyOf(messenger, pane);
  if ((seen.value[key] ?? 0) === received) return;
  seen.value = { ...seen.value, [key]: received };
  try {
    localStorage.setItem(KEY, JSON.stringify(seen.value));
  } catch {
    // Without storage it is kept until the page is closed.
  }
}
