import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  /** Label of a close button, for dialogs without another one: touch screens have no Escape key. */
  readonly close?: string;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser traps the focus, closes it with Escape, and restores the focus. */
export function Dialog({ title, open, onClose, close, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the next key press, which already belongs to the dialog.
  useLayoutEffect(() => {
    if (open) ref.current?.showModal();
    else ref.current?.close();
  }, [open]);
  // A dialog removed while open does not restore the focus, and its close event is no longer awaited.
  const isThere = useRef(true);
  useLayoutEffect(
    () => () => {
      isThere.current = false;
      ref.current?.close();
    },
    [],
  );
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      class="w-[min(28rem,calc(100vw-2rem))] rounded-lg border border-line bg-bg p-5 text-ink"
      onClose={() => isThere.current && onClose()}
    >
      <div class="mb-3 flex items-start gap-2">
        <h2 id={id} class="min-w-0 flex-1 text-lg font-semibold">
          {title}
        </h2>
        {close !== undefined && (
          <button
            type="button"
            class="-mt-2 -mr-2 grid h-10 w-10 shrink-0 place-items-center rounded-md text-dim hover:text-ink"
            aria-label={close}
            onClick={() => ref.current?.close()}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {open && children}
    </dialog>
  );
}
