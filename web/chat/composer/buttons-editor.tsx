import { useState } from "preact/hooks";
import { Icon } from "../../kit/icon.tsx";
import { later } from "../later.ts";
import { composerWords } from "../texts/texts.ts";
import type { Buttons, KeyboardShape } from "./keyboard.ts";

const ButtonsDialog = later(async () => (await import("./buttons-dialog.tsx")).ButtonsDialog);

export interface ButtonsEditorProps {
  readonly shape: KeyboardShape;
  readonly maxPayload: number | null;
  readonly buttons: Buttons;
  readonly onChange: (buttons: Buttons) => void;
}

/** Opens the editor of the next message's buttons, if the transport has keyboards. */
export function ButtonsEditor(props: ButtonsEditorProps) {
  const [isOpen, setOpen] = useState(false);
  const count = props.buttons.drafts.length;
  const words = composerWords.value;
  return (
    <>
      <button
        type="button"
        class="flex h-10 min-w-10 shrink-0 items-center justify-center gap-1 rounded-md px-1.5 text-sm text-dim hover:text-ink"
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
