import { signal } from "@preact/signals";

/** In which chats somebody is typing, with the timer that ends it. */
const typing = signal<ReadonlyMap<string, number>>(new Map());

export function isTyping(chatId: string): boolean {
  return typing.value.has(chatId);
}

/** Somebody is typing for so many seconds; 0: no longer. */
export function noteTyping(chatId: string, seconds: number): void {
  if (seconds === 0 && !isTyping(chatId)) return;
  const next = new Map(typing.value);
  clearTimeout(next.get(chatId));
  if (seconds === 0) next.delete(chatId);
  else
    next.set(
      chatId,
      window.setTimeout(() => noteTyping(chatId, 0), seconds * 1_000),
    );
  typing.value = next;
}
