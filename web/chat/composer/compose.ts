import { signal } from "@preact/signals";
import type { Message } from "../model.ts";
import { session } from "../session.ts";
import { browserStore, type Drafts, openDrafts } from "./drafts.ts";
import type { Buttons } from "./keyboard.ts";

/** What the composer does other than writing a new message: replies to one, or edits one. */
export type Intent =
  | { readonly kind: "quote"; readonly message: Message }
  | { readonly kind: "edit"; readonly message: Message };

/** An edit that could not be stored. */
export interface Unsaved {
  readonly message: Message;
  readonly problem: string;
}

const intents = signal<ReadonlyMap<string, Intent>>(new Map());
/** The latest failed edit of each message. Used as long as its text is kept. */
export const unsaved = signal<readonly Unsaved[]>([]);
/** Incremented with every draft, so that rows of the list are updated. */
const draftVersion = signal(0);
let drafts: Drafts | null = null;

function own(): Drafts {
  drafts ??= openDrafts(session.value?.user.id ?? "", browserStore());
  return drafts;
}

export function draftOf(place: string): string {
  return draftVersion.value >= 0 ? own().get(place) : "";
}

export function keepDraft(place: string, text: string): void {
  own().set(place, text);
  draftVersion.value++;
}

/** Counts the texts that came back to their field. */
export const givenBack = signal(0);

/** Adds what was typed in one place to what was typed in another. */
export function moveDraft(from: string, to: string): void {
  own().move(from, to);
  draftVersion.value++;
}

/** The initial text of the field. The draft of an edit is stored under the message's id. */
export function beginOf(place: string, intent: Intent | null): string {
  return intent?.kind === "edit" ? draftOf(intent.message.id) || intent.message.text : draftOf(place);
}

/** Stores the text being typed, separately for an edit and for a new message. */
export function keepTyped(place: string, intent: Intent | null, text: string): void {
  keepDraft(intent?.kind === "edit" ? intent.message.id : place, text);
}

/** Ends the composer's intent. The draft of an abandoned edit is deleted. */
export function giveUp(place: string): void {
  const intent = intentOf(place);
  if (intent?.kind === "edit") keepTyped(place, intent, "");
  setIntent(place, null);
}

const NO_BUTTONS: Buttons = { drafts: [], keyboard: undefined };
const chosenButtons = signal<ReadonlyMap<string, Buttons>>(new Map());

/** The buttons chosen for the next text in this place. */
export function buttonsOf(place: string): Buttons {
  return chosenButtons.value.get(place) ?? NO_BUTTONS;
}

export function setButtons(place: string, buttons: Buttons | null): void {
  const next = new Map(chosenButtons.value);
  if (buttons === null) next.delete(place);
  else next.set(place, buttons);
  chosenButtons.value = next;
}

export function intentOf(place: string): Intent | null {
  return intents.value.get(place) ?? null;
}

export function setIntent(place: string, intent: Intent | null): void {
  const next = new Map(intents.value);
  if (intent === null) next.delete(place);
  else next.set(place, intent);
  intents.value = next;
}
