import { signal } from "@preact/signals";
import { browserStore, type Drafts, openDrafts } from "./drafts.ts";
import type { Message } from "./model.ts";
import { session } from "./session.ts";

/** What the composer does besides writing a new message: answers one, or changes one. */
export type Intent =
  | { readonly kind: "quote"; readonly message: Message }
  | { readonly kind: "edit"; readonly message: Message };

/** A change that could not be stored. */
export interface Unsaved {
  readonly message: Message;
  readonly problem: string;
}

const intents = signal<ReadonlyMap<string, Intent>>(new Map());
/** The latest change of each message that could not be stored. It is of use as long as its text is kept. */
export const unsaved = signal<readonly Unsaved[]>([]);
/** Changes with every draft, so that rows of the list follow. */
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

/** Adds what was typed in one place to what was typed in another. */
export function moveDraft(from: string, to: string): void {
  own().move(from, to);
  draftVersion.value++;
}

/** What the field begins with. The draft of a change has the message's id for its place. */
export function beginOf(place: string, intent: Intent | null): string {
  return intent?.kind === "edit" ? draftOf(intent.message.id) || intent.message.text : draftOf(place);
}

/** Keeps what is being typed, apart for a change and for a new message. */
export function keepTyped(place: string, intent: Intent | null, text: string): void {
  keepDraft(intent?.kind === "edit" ? intent.message.id : place, text);
}

/** Ends what the composer does. A change that is given up is forgotten. */
export function giveUp(place: string): void {
  const intent = intentOf(place);
  if (intent?.kind === "edit") keepTyped(place, intent, "");
  setIntent(place, null);
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
