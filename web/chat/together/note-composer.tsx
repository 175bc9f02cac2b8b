import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { newUuid } from "../../kit/uuid.ts";
import { draftOf, keepDraft } from "../composer/compose.ts";
import { focusComposer } from "../composer/composer-focus.ts";
import { enterAction } from "../preference.ts";
import { problemOf } from "../problem.ts";
import { ask } from "../session.ts";
import { togetherWords } from "../texts/texts.ts";
import { jumpToEnd, takeMessage, threadOf } from "../thread/thread.ts";
import { notingIn } from "./noting.ts";
import { Present } from "./present.tsx";

/** The employee has just asked for the field. */
let wantsFocus = false;

/** Changes to the field of an internal note. */
export function beginNote(chatId: string): void {
  wantsFocus = true;
  notingIn.value = chatId;
}

/** Switches between a message to the customer and an internal note, of which it has the field. */
export function WriteSwitch({ chatId }: { readonly chatId: string }) {
  const { reply, note, writeWhat } = togetherWords.value;
  const isNoting = notingIn.value === chatId;
  const choose = (toNote: boolean): void => {
    if (toNote) beginNote(chatId);
    else {
      notingIn.value = null;
      // After the rendering, which this change has put into the queue.
      queueMicrotask(focusComposer);
    }
  };
  const button = (label: string, toNote: boolean) => (
    <button
      type="button"
      aria-pressed={isNoting === toNote}
      class={`flex min-h-10 shrink-0 items-center gap-1.5 border-b-2 px-2 text-sm ${isNoting === toNote ? (toNote ? "border-wait font-semibold text-wait" : "border-accent font-semibold") : "border-transparent text-dim hover:text-ink"}`}
      onClick={() => choose(toNote)}
    >
      <span class="@max-md:hidden">
        <Icon name={toNote ? "template" : "reply"} />
      </span>
      {label}
    </button>
  );
  return (
    <>
      <fieldset aria-label={writeWhat} class="@container flex min-w-0 gap-1 px-3">
        {button(reply, false)}
        {button(note, true)}
        <Present chatId={chatId} />
      </fieldset>
      {isNoting && <NoteComposer chatId={chatId} />}
    </>
  );
}

/** Writes an internal note. In its own field, so that no text of a note can be in that of messages. */
function NoteComposer({ chatId }: { readonly chatId: string }) {
  const { note, addNote, notePlaceholder, onlyColleagues } = togetherWords.value;
  const field = useRef<HTMLTextAreaElement>(null);
  // Before the next key press, which already belongs to the note.
  useLayoutEffect(() => {
    if (wantsFocus) field.current?.focus();
    wantsFocus = false;
  }, []);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  // A repetition after a lost response stores the note once.
  const [id, setId] = useState(newUuid);
  const place = `note ${chatId}`;
  const text = draftOf(place);
  const add = (): void => {
    if (text.trim() === "" || isBusy) return;
    setBusy(true);
    ask("addNote", { path: { id: chatId }, body: { id, text } })
      .then(
        (entry) => {
          takeMessage(entry);
          if (draftOf(place) === text) keepDraft(place, "");
          setId(newUuid());
          setProblem(null);
          void jumpToEnd(threadOf(chatId));
        },
        (error: unknown) => setProblem(problemOf(error)),
      )
      .finally(() => setBusy(false));
  };
  return (
    <form
      class="grid gap-2 bg-wait-bg p-3 print:hidden"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <p class="flex items-center gap-1.5 text-xs font-semibold text-wait">
        <Icon name="eye" size={12} />
        {onlyColleagues}
      </p>
      <textarea
        rows={2}
        ref={field}
        class="max-h-40 w-full resize-none rounded-md border border-dashed border-wait bg-bg p-2 placeholder:text-dim"
        aria-label={note}
        placeholder={notePlaceholder}
        maxLength={10_000}
        dir="auto"
        value={text}
        onInput={(event) => keepDraft(place, event.currentTarget.value)}
        onKeyDown={(event) => {
          if (enterAction(event) !== "send") return;
          event.preventDefault();
          add();
        }}
      />
      {problem !== null && (
        <p role="alert" class="text-sm text-bad">
          {problem}
        </p>
      )}
      <Button look="primary" type="submit" class="ml-auto" busy={isBusy} disabled={text.trim() === ""}>
        {addNote}
      </Button>
    </form>
  );
}
