import { Dialog } from "../kit/dialog.tsx";
import { AlertSettings } from "./alerts/ask.tsx";
import { showsHelp } from "./navigation.ts";
import { marks, type SendKey, sendKey, setSendKey } from "./preference.ts";
import { composerWords, detailWords } from "./texts/texts.ts";

/** The keyboard shortcuts of the page, and the choice of the send key. */
export function Help() {
  const texts = detailWords.value;
  const { help, sendBy, newLine, keyEnter, keyCtrlEnter } = texts;
  const keys: readonly [string, string][] = [
    ["Ctrl+K", texts.keySearch],
    ["↑ ↓", texts.keyMove],
    ["Esc", texts.keyBack],
    [texts.upInEmpty, texts.keyEdit],
    ["/", composerWords.value.answers],
    ["← → + −", texts.keyPhotos],
    ["?", texts.keyHelp],
  ];
  const choices: readonly [SendKey, string][] = [
    ["enter", keyEnter],
    ["ctrl+enter", keyCtrlEnter],
  ];
  return (
    <Dialog
      title={help}
      close={texts.close}
      open={showsHelp.value}
      onClose={() => {
        showsHelp.value = false;
      }}
    >
      <dl class="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        {keys.map(([key, meaning]) => (
          <div key={key} class="col-span-2 grid grid-cols-subgrid items-baseline">
            <dt class="font-mono text-sm">{key}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <fieldset class="mt-4 grid gap-2 border-t border-line pt-4">
        <legend class="float-left font-semibold">
          {sendBy} <span class="font-normal text-dim">({newLine})</span>
        </legend>
        {choices.map(([key, label]) => (
          <label key={key} class="flex items-center gap-2">
            <input
              type="radio"
              name="send-key"
              class="accent-accent"
              checked={sendKey.value === key}
              onChange={() => setSendKey(key)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <AlertSettings />
      <label class="mt-4 flex items-center gap-2 border-t border-line pt-4">
        <input
          type="checkbox"
          class="accent-accent"
          checked={marks.value !== false}
          onChange={(event) => marks.set(event.currentTarget.checked)}
        />
        {texts.showMarks}
      </label>
    </Dialog>
  );
}
