/**
 * Gives the focus to what is there once the changes made so far are drawn, and before the next key: Preact draws them in
 * a microtask that is queued before this one. A frame later the first letters of a fast typist would be lost.
 */
export function focusDrawn(find: () => HTMLElement | null | undefined): void {
  queueMicrotask(() => find()?.focus());
}
