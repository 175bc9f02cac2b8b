import { signal } from "@preact/signals";
import { browserStore, type Drafts, openDrafts } from "./drafts.ts";
import type { Message } from "./model.ts";
import { session } from "./session.ts";

/** What the composer does besides writing a new message: answers one, or changes one. */
export type Intent =
  | { readonly kind: "quote"; readonly message: Message }
  /** `text`: as it was changed already, where that could not be stored. */
  | { readonly kind: "edit"; readonly message: Message; readonly text?: string };

const intents = signal<ReadonlyMap<string, Intent>>(new Map());
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

export function intentOf(place: string): Intent | null {
  return intents.value.get(place) ?? null;
}

export function setIntent(place: string, intent: Intent | null): void {
  const next = new Map(intents.value);
  if (intent === null) next.delete(place);
  else next.set(place, intent);
  intents.value = next;
}
