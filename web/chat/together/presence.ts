import { signal } from "@preact/signals";
import type { LiveEvent } from "../../kit/live.ts";
import type { Colleague } from "../model.ts";
import { place } from "../navigation.ts";
import { ask } from "../session.ts";

type Told = Extract<LiveEvent, { readonly type: "presence" }>;

/** A colleague in a chat. */
export interface Presence {
  readonly user: Colleague;
  readonly isTyping: boolean;
}

/** By chat and employee, with the timer that ends it. */
const present = signal<ReadonlyMap<string, ReadonlyMap<string, Presence & { readonly timer: number }>>>(
  new Map(),
);

/** The colleagues in a chat, as far as known. */
export function presentIn(chatId: string): readonly Presence[] {
  return [...(present.value.get(chatId)?.values() ?? [])];
}

/** Applies what the stream tells of a colleague. */
export function notePresence({ chat_id: chatId, user, state, asks, seconds }: Told): void {
  const inChat = new Map(present.value.get(chatId));
  const known = inChat.get(user.id);
  clearTimeout(known?.timer);
  inChat.delete(user.id);
  if (state !== "left") {
    // Who stops typing still looks at the chat, until their page says otherwise or says nothing.
    const next = state === "typing" ? ("viewing" as const) : ("left" as const);
    const rest = { type: "presence", chat_id: chatId, user, state: next, asks: false, seconds: 20 } as const;
    const timer = window.setTimeout(() => notePresence(rest), seconds * 1_000);
    inChat.set(user.id, { user, isTyping: state === "typing", timer });
  }
  present.value = new Map(present.value).set(chatId, inChat);
  if (asks && place.value?.kind === "chat" && place.value.id === chatId && isLooking())
    tell(chatId, "viewing");
}

export function isLooking(): boolean {
  return document.visibilityState === "visible";
}

/** Tells colleagues what the employee does in a chat. That it fails does not matter to the employee. */
export function tell(chatId: string, state: Told["state"], asks = false): void {
  ask("tellPresence", { path: { id: chatId }, body: { state, asks } }).catch(() => undefined);
}
