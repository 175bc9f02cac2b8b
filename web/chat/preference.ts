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

/** A choice of this employee, who may share the browser with others. */
interface Choice {
  /** Null: not made yet. */
  readonly value: boolean | null;
  set(isOn: boolean): void;
}

function choice(name: string): Choice {
  const chosen = signal<boolean | null>(null);
  const key = (): string => `trunkline-${name}-${session.value?.user.id ?? ""}`;
  const stored = (): boolean | null => {
    const text = browserStore()?.getItem(key());
    return text === "on" ? true : text === "off" ? false : null;
  };
  return {
    get value() {
      return chosen.value ?? stored();
    },
    set(isOn) {
      chosen.value = isOn;
      store(key(), isOn ? "on" : "off");
    },
  };
}

/** Whether customers may see that this employee reads and types; by default they may. */
export const marks = choice("marks");
/** Whether a sound tells of a customer's message; by default it does. */
export const sound = choice("sound");
/** Whether the browser shows a customer's message while the page is not looked at; the employee is asked once. */
export const notifications = choice("notifications");

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
