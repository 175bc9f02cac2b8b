import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Field } from "../../kit/field.tsx";
import { focusDrawn } from "../../kit/focus-drawn.ts";
import { Icon } from "../../kit/icon.tsx";
import { Notice } from "../../kit/notice.tsx";
import type { Answer, Content } from "./answers.ts";
import { type AnswerDraft, useAnswerDraft } from "./draft.ts";
import { cannedWords } from "./words.ts";

interface AnswerFormProps {
  /** The answer being changed; null for a new one. */
  readonly opened: Answer | null;
  readonly begin: Content;
  /** Called after the answer was saved or deleted. */
  readonly onDone: () => void;
  readonly onAll: () => void;
}

/** The form for one answer: its name and its text. */
export function AnswerForm({ onAll, ...options }: AnswerFormProps) {
  const words = cannedWords.value;
  const draft = useAnswerDraft(options);
  const [asksRemoval, setAsksRemoval] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (!asksRemoval) focusDrawn(() => form.current?.querySelector("input"));
  }, [asksRemoval]);
  if (asksRemoval && draft.meanwhile === null)
    return <Removal draft={draft} onCancel={() => setAsksRemoval(false)} />;
  return (
    <form
      ref={form}
      noValidate
      class="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        draft.save();
      }}
    >
      {draft.problem !== null && <Notice tone="bad">{draft.problem}</Notice>}
      <Meanwhile draft={draft} />
      <Field
        name="name"
        label={words.name}
        hint={words.nameHint}
        value={draft.content.name}
        error={draft.faults.name}
        onInput={(name) => draft.write({ name })}
      />
      <TextField
        value={draft.content.text}
        error={draft.faults.text}
        onInput={(text) => draft.write({ text })}
      />
      <div class="flex flex-wrap items-center gap-2">
        <Button
          onPress={() => {
            draft.giveUp();
            onAll();
          }}
        >
          {words.all}
        </Button>
        {draft.stored !== null && (
          <Button onPress={() => setAsksRemoval(true)}>
            <Icon name="trash" />
            {words.remove}
          </Button>
        )}
        <Button look="primary" type="submit" busy={draft.isBusy} class="ml-auto">
          {words.save}
        </Button>
      </div>
    </form>
  );
}

/** Reports a colleague's concurrent change of the answer. */
function Meanwhile({ draft: { meanwhile, stored, takeTheirs } }: { readonly draft: AnswerDraft }) {
  const words = cannedWords.value;
  if (meanwhile === null) return null;
  if (stored === null) return <Notice tone="neutral">{words.deleted}</Notice>;
  return (
    <Notice tone="neutral">
      <p>{words.changed}</p>
      <div class="mt-1 max-h-40 overflow-y-auto rounded-md bg-bg px-2 py-1.5 text-ink">
        <p class="font-semibold">/{stored.name}</p>
        <p class="whitespace-pre-wrap wrap-anywhere">{stored.text}</p>
      </div>
      <Button look="quiet" onPress={takeTheirs}>
        {words.takeTheirs}
      </Button>
    </Notice>
  );
}

function Removal({ draft, onCancel }: { readonly draft: AnswerDraft; readonly onCancel: () => void }) {
  const words = cannedWords.value;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => focusDrawn(() => box.current?.querySelector("button")), []);
  return (
    <div ref={box} class="grid gap-4">
      {draft.problem !== null && <Notice tone="bad">{draft.problem}</Notice>}
      <p>
        <span class="font-semibold">{words.removeTitle(draft.stored?.name ?? "")}</span> {words.removeHint}
      </p>
      <div class="flex justify-end gap-2">
        <Button onPress={onCancel}>{words.cancel}</Button>
        <Button look="danger" busy={draft.isBusy} onPress={draft.remove}>
          {words.remove}
        </Button>
      </div>
    </div>
  );
}

interface TextFieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onInput: (value: string) => void;
}

/** The text of an answer, with buttons that insert its variables. */
function TextField({ value, error, onInput }: TextFieldProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const words = cannedWords.value;
  const variables = { contact: words.contact, employee: words.employee };
  const insert = (variable: string) => {
    field.current?.focus();
    // Inserts as if typed, so that the browser's undo works.
    document.execCommand("insertText", false, `{{${variable}}}`);
  };
  return (
    <div class="grid gap-1">
      <label for={id} class="font-semibold">
        {words.text}
      </label>
      <textarea
        ref={field}
        id={id}
        name="text"
        rows={5}
        dir="auto"
        class={`w-full rounded-md border bg-bg px-3 py-2 ${error === undefined ? "border-edge" : "border-bad outline-bad"}`}
        required
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-hint ${id}-error`}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <p id={`${id}-error`} role="alert" class="text-sm font-semibold text-bad empty:hidden">
        {error}
      </p>
      <div id={`${id}-hint`} class="grid gap-1 text-sm text-dim">
        <p>{words.variables}</p>
        <p class="flex flex-wrap gap-2">
          {Object.entries(variables).map(([variable, label]) => (
            <Button key={variable} onPress={() => insert(variable)}>
              {label}
            </Button>
          ))}
        </p>
        <p>{words.variablesHint}</p>
      </div>
    </div>
  );
}
