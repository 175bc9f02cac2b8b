/**
 * Focuses an element once the pending changes are rendered, and before the next key press: Preact renders in a
 * microtask queued before this one. One frame later, the first letters of a fast typist would be lost.
 */
export function focusDrawn(find: () => HTMLElement | null | undefined): void {
  queueMicrotask(() => find()?.focus());
}
