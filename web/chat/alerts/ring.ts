import { beginning } from "../../kit/pieces.ts";
import { lineOf } from "../list/summary.ts";
import { type Chat, type Item, isMessage } from "../model.ts";
import { isShown, openChat } from "../navigation.ts";
import { notifications, sound } from "../preference.ts";
import { loadLaterTexts, proposalWords } from "../texts/texts.ts";
import { asksNotifications } from "./alerts.ts";

/** Older messages are reported after a gap, and nobody waits for their sound. */
const FRESH_MS = 60_000;
/** Two short tones, the second higher, in hertz. */
const TONES = [660, 880] as const;
const TONE_SECONDS = 0.12;
const VOLUME = 0.08;
/** Of several pages of one browser, one tells of a message; the others hear of it within this time. */
const HOLD_MS = 5_000;

let context: AudioContext | null = null;

/**
 * For a customer's message or a proposed one that is not in view: plays the sound, and shows a notification unless the page
 * is looked at, as the employee has chosen.
 */
export async function ring(item: Item, chat: Chat | undefined): Promise<void> {
  if (chat === undefined || !isNews(item) || Date.now() - Date.parse(item.at) >= FRESH_MS) return;
  const isLookedAt = document.visibilityState === "visible" && document.hasFocus();
  if (isLookedAt && isShown(chat.id)) return;
  // The employee has missed it: now the question makes sense.
  if (!isLookedAt && mayAsk()) asksNotifications.value = true;
  if (!(await isFirstPage(item.id))) return;
  if (sound.value !== false) await playSound();
  if (!isLookedAt && notifications.value === true) notify(await bodyOf(item, chat), chat);
}

function isNews(item: Item): boolean {
  if (isMessage(item)) return item.direction === "in" && item.is_history !== true;
  return item.proposal?.state === "waiting";
}

/** In frames of other sites, browsers refuse without a question. */
function mayAsk(): boolean {
  return notifications.value === null && "Notification" in window && Notification.permission === "default";
}

async function bodyOf(item: Item, chat: Chat): Promise<string> {
  if (isMessage(item)) return lineOf(item, chat.chat_type);
  await loadLaterTexts();
  const { title, template } = proposalWords.value;
  return `${title}: ${item.proposal?.is_template === true ? template : beginning(item.text)}`;
}

/** Claims a message for this page. Without locks, as on pages without encryption, every page tells of it. */
function isFirstPage(id: string): Promise<boolean> {
  if (!("locks" in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const claim = (lock: Lock | null) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise((done) => setTimeout(done, HOLD_MS));
    };
    navigator.locks.request(`trunkline-ring-${id}`, { ifAvailable: true }, claim).catch(() => resolve(true));
  });
}

/** Browsers play nothing before the first click or key in the page. */
async function playSound(): Promise<void> {
  if (!navigator.userActivation.hasBeenActive) return;
  context ??= new AudioContext();
  await context.resume();
  const gain = new GainNode(context, { gain: VOLUME });
  gain.connect(context.destination);
  for (const [index, frequency] of TONES.entries()) {
    const tone = new OscillatorNode(context, { frequency });
    tone.connect(gain);
    tone.start(context.currentTime + index * TONE_SECONDS);
    tone.stop(context.currentTime + (index + 1) * TONE_SECONDS);
  }
}

/** Pressing it shows the chat. A later message of the chat replaces it. */
function notify(body: string, chat: Chat): void {
  const shown = new Notification(chat.name, { body, tag: chat.id });
  shown.onclick = () => {
    window.focus();
    void openChat(chat.id);
    shown.close();
  };
}
