import { signal } from "@preact/signals";
import { browserStore } from "./composer/drafts.ts";
import { session } from "./session.ts";

export type SendKey = "enter" | "ctrl+enter";
const KEY = "trunkline-send-key";

/** Which key sends; the other one starts a new line. Stored if the browser allows storage in a frame. */
export const sendKey = signal<SendKey>(read());

export function setSendKey(key: SendKey): void {
  sendKey.value = key;
  store(KEY, key);
}

const marksKey = (): string => `trunkline-marks-${session.value?.user.id ?? ""}`;
const chosenMarks = signal<boolean | null>(null);

/** Whether customers may see that this employee reads and types. */
export function showsMarks(): boolean {
  return chosenMarks.value ?? browserStore()?.getItem(marksKey()) !== "off";
}

export function setShowsMarks(shows: boolean): void {
  chosenMarks.value = shows;
  store(marksKey(), shows ? "on" : "off");
}

const PANE_KEY = "trunkline-details";

/** Whether the details are beside the conversation, if there is room. */
export const showsPane = signal(browserStore()?.getItem(PANE_KEY) !== "off");

export function setShowsPane(shows: boolean): void {
  showsPane.value = shows;
  store(PANE_KEY, shows ? "on" : "off");
}

/** If the store is full, the choice lives as long as the page. */
function store(key: string, value: string): void {
  try {
    browserStore()?.setItem(key, value);
  } catch {}
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
