import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusHeading } from "../kit/focus.ts";
import { MessengerMark } from "../kit/messenger.tsx";

interface StepProps {
  readonly title: string;
  readonly transport?: string | undefined;
  readonly children?: ComponentChildren;
}

/** One step: its heading is focused, so that a screen reader reads it. */
export function Step({ title, transport, children }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the next key press: it may be meant for a field of the step, whose focus the heading would take.
  useLayoutEffect(() => {
    focusHeading(heading.current);
    document.title = title;
  }, [title]);
  return (
    <section class="grid gap-5">
      <div class="flex items-center gap-3">
        {transport !== undefined && <MessengerMark transport={transport} />}
        <h1 ref={heading} tabIndex={-1} class="text-xl font-semibold leading-tight outline-none">
          {title}
        </h1>
      </div>
      {children}
    </section>
  );
}

/** Instructions, in order. */
export function Guide({ steps }: { readonly steps: readonly string[] }) {
  if (steps.length === 0) return null;
  return (
    <ol class="grid gap-2">
      {steps.map((step, index) => (
        <li key={step} class="flex gap-3">
          <span
            class="grid h-6 w-6 shrink-0 place-items-center rounded-full bg-pane text-sm font-semibold"
            aria-hidden="true"
          >
            {index + 1}
          </span>
          <span>{step}</span>
        </li>
      ))}
    </ol>
  );
}

/** Something is in progress without the person. */
export function Progress({ text, hint }: { readonly text: string; readonly hint?: string }) {
  return (
    <div role="status" class="grid justify-items-center gap-3 py-8 text-center">
      <span class="appears-late h-8 w-8 animate-spin rounded-full border-4 border-line border-t-accent motion-reduce:animate-none" />
      <p class="font-semibold">{text}</p>
      {hint !== undefined && <p class="text-sm text-dim">{hint}</p>}
    </div>
  );
}
