import { useEffect, useMemo } from "preact/hooks";
import { Icon } from "../kit/icon.tsx";
import type { Intent } from "./compose.ts";
import { fileSize } from "./format.ts";
import { lineOf } from "./summary.ts";
import { composerWords } from "./texts/texts.ts";
import { kindOf, setTray, trayOf } from "./tray.ts";

/** What the next message answers, or which one is being changed. */
export function IntentBar({ intent, onStop }: { readonly intent: Intent; readonly onStop: () => void }) {
  const { quoting, editing, stop } = composerWords.value;
  return (
    <div class="flex items-center gap-2 border-l-3 border-accent pl-2 text-sm">
      <p class="min-w-0 flex-1">
        <span class="block font-semibold text-accent-text">
          {intent.kind === "quote" ? quoting : editing}
        </span>
        <span class="block truncate text-dim">{lineOf(intent.message.wire)}</span>
      </p>
      <button
        type="button"
        class="grid h-9 w-9 shrink-0 place-items-center rounded-md"
        aria-label={stop}
        onClick={onStop}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Files that go with the next message. */
export function Tray({ place }: { readonly place: string }) {
  const files = trayOf(place);
  return (
    <ul aria-label={composerWords.value.files} class="flex max-h-40 flex-wrap gap-2 overflow-y-auto">
      {files.map((file, index) => (
        <Chosen
          key={`${file.name} ${index}`}
          file={file}
          onRemove={() => setTray(place, files.toSpliced(index, 1))}
        />
      ))}
    </ul>
  );
}

function Chosen({ file, onRemove }: { readonly file: File; readonly onRemove: () => void }) {
  const isPicture = kindOf(file) === "image";
  const url = useMemo(() => (isPicture ? URL.createObjectURL(file) : ""), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <li class="flex max-w-64 min-w-0 items-center gap-2 rounded-md border border-line p-1 pl-2">
      {isPicture ? <img src={url} alt="" class="h-9 w-9 rounded-md object-cover" /> : <Icon name="file" />}
      <span class="min-w-0 flex-1">
        <span class="block truncate text-sm">{file.name}</span>
        <span class="block text-xs text-dim">{fileSize(file.size)}</span>
      </span>
      <button
        type="button"
        class="grid h-9 w-9 shrink-0 place-items-center rounded-md"
        aria-label={composerWords.value.removeFile(file.name)}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
