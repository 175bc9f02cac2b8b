import { signal } from "@preact/signals";
import { browserStore } from "./composer/drafts.ts";

export type SendKey = "enter" | "ctrl+enter";
const KEY = "trunkline-send-key";

/** Which key sends; the other one starts a new line. Stored if the browser allows storage in a frame. */
export const sendKey = signal<SendKey>(read());

export function setSendKey(key: SendKey): void {
  sendKey.value = key;
  try {
    browserStore()?.setItem(KEY, key);
  } catch {
    // The store is full: the choice lives as long as the page.
  }
}

function read(): SendKey {
  return browserStore()?.getItem(KEY) === "ctrl+enter" ? "ctrl+enter" : "enter";
}

/** What this press of Enter does; null: the browser's own action. During input composition it never sends. */
export function enterAction(event: KeyboardEvent): "send" | "newLine" | null {
  if (event.key !== "Enter" || event.isComposing || event.shiftKey) return null;
  const withControl = event.ctrlKey || event.metaKey;
  if (sendKey.value === "ctrl+enter") return withControl ? "send" : null;
  // By themselves, browsers insert nothing.
  return withControl ? "newLine" : "send";
}
