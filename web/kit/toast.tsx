import { signal } from "@preact/signals";

const SHOWN_MS = 5_000;
const shown = signal<readonly { readonly id: number; readonly text: string }[]>([]);
let last = 0;

/** A brief confirmation of an action. Anything that needs an action is a notice. */
export function toast(text: string): void {
  const id = ++last;
  shown.value = [...shown.value, { id, text }];
  setTimeout(() => {
    shown.value = shown.value.filter((each) => each.id !== id);
  }, SHOWN_MS);
}

/** Where toasts appear; once per page. */
export function Toasts() {
  return (
    <div
      role="status"
      class="pointer-events-none fixed inset-x-4 bottom-4 z-10 grid justify-items-center gap-2"
    >
      {shown.value.map(({ id, text }) => (
        <p key={id} class="shaped rounded-lg bg-ink px-4 py-2 text-bg shadow-lg">
          {text}
        </p>
      ))}
    </div>
  );
}
