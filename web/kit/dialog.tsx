import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser keeps the focus inside, closes it by Escape, and gives the focus back. */
export function Dialog({ title, open, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (open) ref.current?.showModal();
    else ref.current?.close();
  }, [open]);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      class="w-[min(28rem,calc(100vw-2rem))] rounded-lg border border-line bg-bg p-5 text-ink"
      onClose={onClose}
    >
      <h2 id={id} class="mb-3 text-lg font-semibold">
        {title}
      </h2>
      {open && children}
    </dialog>
  );
}
