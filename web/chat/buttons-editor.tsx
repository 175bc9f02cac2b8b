import { useState } from "preact/hooks";
import { Icon } from "../kit/icon.tsx";
import { lazy } from "../kit/lazy.tsx";
import type { DraftButton, KeyboardShape } from "./keyboard.ts";
import { composerWords } from "./texts/texts.ts";

const ButtonsDialog = lazy(async () => (await import("./buttons-dialog.tsx")).ButtonsDialog);

export interface ButtonsEditorProps {
  readonly shape: KeyboardShape;
  readonly buttons: readonly DraftButton[];
  readonly onChange: (buttons: readonly DraftButton[]) => void;
}

/** The way to the buttons of the next message, where the transport has keyboards. */
export function ButtonsEditor(props: ButtonsEditorProps) {
  const [isOpen, setOpen] = useState(false);
  const count = props.buttons.length;
  const words = composerWords.value;
  return (
    <>
      <button
        type="button"
        class="flex h-10 min-w-9 shrink-0 items-center justify-center gap-1 rounded-md px-1.5 text-sm text-dim hover:text-ink"
        aria-label={count === 0 ? words.buttons : words.withButtons(count)}
        title={words.buttons}
        onClick={() => setOpen(true)}
      >
        <Icon name="keyboard" size={18} />
        {count > 0 && <span aria-hidden="true">{count}</span>}
      </button>
      {isOpen && <ButtonsDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
