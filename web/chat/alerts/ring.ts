import { lineOf } from "../list/summary.ts";
import type { Chat, WireMessage } from "../model.ts";
import { openChat } from "../navigation.ts";
import { notifications, sound } from "../preference.ts";

/** Two short tones, the second higher, in hertz. */
const TONES = [660, 880] as const;
const TONE_SECONDS = 0.12;
const VOLUME = 0.08;
/** Of several pages of one browser, one tells of a message; the others hear of it within this time. */
const HOLD_MS = 5_000;

let context: AudioContext | null = null;

/** Plays the sound, and shows a notification unless the page is looked at, as the employee has chosen. */
export async function ring(message: WireMessage, chat: Chat, isLookedAt: boolean): Promise<void> {
  if (!(await isFirstPage(message.id))) return;
  if (sound.value !== false) await playSound();
  if (!isLookedAt && notifications.value === true) notify(message, chat);
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
function notify(message: WireMessage, chat: Chat): void {
  const shown = new Notification(chat.name, { body: lineOf(message, chat.chat_type), tag: chat.id });
  shown.onclick = () => {
    window.focus();
    void openChat(chat.id);
    shown.close();
  };
}
