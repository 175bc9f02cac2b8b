import { useEffect, useMemo } from "preact/hooks";
import { Icon } from "../../kit/icon.tsx";
import { fileSize } from "../format.ts";
import { lineOf } from "../list/summary.ts";
import { nameShown } from "../model.ts";
import { bubbleWords, composerWords, dialogWords } from "../texts/texts.ts";
import { setTray, trayOf } from "./chosen-files.ts";
import { draftOf, type Intent, intentOf, keepDraft, setIntent, unsaved } from "./compose.ts";
import { type CaptionPlace, kindOf } from "./tray.ts";

/** The message that is being replied to or edited. */
export function IntentBar({ intent, onStop }: { readonly intent: Intent; readonly onStop: () => void }) {
  const { quoting, quotingComment, editing, stop } = composerWords.value;
  const { wire, chatType } = intent.message;
  const answering = chatType === "instagram" && wire.post !== undefined ? quotingComment : quoting;
  return (
    <div class="flex items-center gap-2 border-l-3 border-accent pl-2 text-sm">
      <p class="min-w-0 flex-1">
        <span class="block font-semibold text-accent-text">
          {intent.kind === "quote" ? answering : editing}
        </span>
        <span class="block truncate text-dim">{lineOf(intent.message.wire, intent.message.chatType)}</span>
      </p>
      <button
        type="button"
        class="grid h-10 w-10 shrink-0 place-items-center rounded-md"
        aria-label={stop}
        onClick={onStop}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Edits that were not stored, with the reason; they wait while the agent writes something else. */
export function UnsavedChanges({ place }: { readonly place: string }) {
  const open = intentOf(place);
  const here = unsaved.value.filter(
    ({ message }) => message.wire.chat_id === place && draftOf(message.id) !== "",
  );
  return here.map(({ message, problem }) => {
    const isOpen = open?.kind === "edit" && open.message.id === message.id;
    return (
      <p key={message.id} role="alert" class="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-bad">
        {!isOpen && (
          <span class="line-clamp-3 min-w-0 wrap-anywhere">
            {dialogWords.value.notSaved(draftOf(message.id))}
          </span>
        )}
        <span class="font-semibold">{problem}</span>
        {!isOpen && (
          <>
            <button
              type="button"
              class="min-h-10 rounded-md font-semibold underline"
              onClick={() => setIntent(place, { kind: "edit", message })}
            >
              {bubbleWords.value.edit}
            </button>
            <button
              type="button"
              class="min-h-10 rounded-md font-semibold underline"
              onClick={() => keepDraft(message.id, "")}
            >
              {dialogWords.value.discard}
            </button>
          </>
        )}
      </p>
    );
  });
}

interface TrayProps {
  readonly place: string;
  /** Where the typed text goes; null: nothing is typed. */
  readonly caption: CaptionPlace | null;
}

/** Files for the next message. */
export function Tray({ place, caption }: TrayProps) {
  const files = trayOf(place);
  const { captionWith, captionAfter } = dialogWords.value;
  return (
    <>
      <ul aria-label={composerWords.value.files} class="flex max-h-40 flex-wrap gap-2 overflow-y-auto">
        {files.map((file, index) => (
          <Chosen
            key={`${file.name} ${index}`}
            file={file}
            onRemove={() => setTray(place, files.toSpliced(index, 1))}
          />
        ))}
      </ul>
      <p role="status" class="text-sm text-dim empty:hidden">
        {caption !== null && (caption === "with" ? captionWith(files.length) : captionAfter(files.length))}
      </p>
    </>
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
        <span class="block truncate text-sm" dir="auto">
          {nameShown(file.name)}
        </span>
        <span class="block text-xs text-dim">{fileSize(file.size)}</span>
      </span>
      <button
        type="button"
        class="grid h-10 w-10 shrink-0 place-items-center rounded-md"
        aria-label={composerWords.value.removeFile(nameShown(file.name))}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
