import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { composerWords, dialogWords } from "../texts/texts.ts";
import type { ButtonsEditorProps } from "./buttons-editor.tsx";
import { type DraftButton, isGoodButton, KEYBOARD_LIMITS, keyboardOf } from "./keyboard.ts";

const EMPTY: DraftButton = { text: "", url: "" };

interface ButtonsDialogProps extends ButtonsEditorProps {
  readonly onClose: () => void;
}

/** Buttons of the next message: labels, and links if the transport supports them. */
export function ButtonsDialog({ shape, maxPayload, buttons, onChange, onClose }: ButtonsDialogProps) {
  const [drafts, setDrafts] = useState<readonly DraftButton[]>(
    buttons.drafts.length === 0 ? [EMPTY] : buttons.drafts,
  );
  const limits = KEYBOARD_LIMITS[shape];
  const words = dialogWords.value;
  const filled = drafts.filter(({ text, url }) => text.trim() !== "" || url.trim() !== "");
  const done = () => {
    onChange({ drafts: filled, keyboard: keyboardOf(shape, filled, maxPayload) });
    onClose();
  };
  const set = (index: number, part: Partial<DraftButton>) =>
    setDrafts(drafts.map((each, at) => (at === index ? { ...each, ...part } : each)));
  return (
    <Dialog title={composerWords.value.buttons} open onClose={onClose}>
      <div class="grid gap-3">
        <p class="text-sm text-dim">{limits.hasLinks ? words.linkHint : words.buttonsHint}</p>
        {drafts.map((button, index) => (
          <div key={index} class="flex items-end gap-2">
            <div class="grid min-w-0 flex-1 gap-2">
              <Field
                name={`label-${index}`}
                label={words.label(index + 1)}
                value={button.text}
                onInput={(text) => set(index, { text: [...text].slice(0, limits.label).join("") })}
              />
              {limits.hasLinks && (
                <Field
                  name={`link-${index}`}
                  label={words.linkOf(index + 1)}
                  value={button.url}
                  required={false}
                  error={
                    button.url.trim() === "" || isGoodButton({ ...button, text: "x" })
                      ? undefined
                      : words.badLink
                  }
                  onInput={(url) => set(index, { url })}
                />
              )}
            </div>
            <Button
              label={words.removeButton(index + 1)}
              onPress={() => setDrafts(drafts.toSpliced(index, 1))}
            >
              <Icon name="trash" />
            </Button>
          </div>
        ))}
        <div class="flex flex-wrap justify-between gap-2">
          <Button disabled={drafts.length >= limits.buttons} onPress={() => setDrafts([...drafts, EMPTY])}>
            <Icon name="plus" />
            {words.addButton}
          </Button>
          <Button look="primary" disabled={!filled.every(isGoodButton)} onPress={done}>
            {words.done}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
