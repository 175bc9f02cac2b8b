const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** Moves the focus in a list with arrow keys, Home and End, wrapping around. */
export function moveFocus(event: KeyboardEvent, selector: string): void {
  const list = event.currentTarget;
  if (!(list instanceof HTMLElement)) return;
  const items = [...list.querySelectorAll<HTMLElement>(selector)];
  const step = STEPS[event.key];
  const now = items.indexOf(document.activeElement as HTMLElement);
  const next = event.key === "Home" ? 0 : event.key === "End" ? -1 : step === undefined ? null : now + step;
  if (next === null || items.length === 0) return;
  event.preventDefault();
  items.at(next % items.length)?.focus();
}

/** Focuses the heading of a new step, so that it is read out. */
export function focusHeading(heading: HTMLHeadingElement | null): void {
  heading?.focus({ preventScroll: true });
}
