import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { focusDrawn } from "../../kit/focus-drawn.ts";
import { Icon } from "../../kit/icon.tsx";
import { List, Row } from "../../kit/list.tsx";
import { Notice } from "../../kit/notice.tsx";
import { beginning } from "../../kit/pieces.ts";
import { toast } from "../../kit/toast.tsx";
import { AnswerForm } from "./answer-form.tsx";
import { type Answer, answers, answersProblem, loadAnswers } from "./answers.ts";
import { findAnswers } from "./find.ts";
import { cannedWords } from "./words.ts";

/** What the dialog shows first: all answers, or a new one. */
export type Begin =
  | { readonly kind: "list" }
  | { readonly kind: "add"; readonly name: string; readonly text: string };
type View = Begin | { readonly kind: "change"; readonly answer: Answer };

interface AnswerDialogProps {
  readonly begin: Begin;
  readonly onClose: () => void;
}

/** The account's canned answers: find, add, change and delete them. */
export function AnswerDialog({ begin, onClose }: AnswerDialogProps) {
  const [view, setView] = useState<View>(begin);
  useEffect(() => void loadAnswers(), []);
  const words = cannedWords.value;
  const onSaved = () => {
    // No list is open that would show the saved answer.
    if (begin.kind === "add" && begin.text !== "") toast(words.saved);
    onClose();
  };
  const title =
    view.kind === "list" ? words.title : view.kind === "add" ? words.add : words.change(view.answer.name);
  return (
    <Dialog title={title} close={words.close} open onClose={onClose}>
      {view.kind === "list" ? (
        <AllAnswers onOpen={setView} />
      ) : (
        <AnswerForm
          opened={view.kind === "change" ? view.answer : null}
          begin={view.kind === "change" ? view.answer : view}
          // A user who opened the dialog to add an answer has finished.
          onDone={begin.kind === "add" ? onSaved : () => setView({ kind: "list" })}
          onAll={() => setView({ kind: "list" })}
        />
      )}
    </Dialog>
  );
}

function AllAnswers({ onOpen }: { readonly onOpen: (view: View) => void }) {
  const [asked, setAsked] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const words = cannedWords.value;
  // On touch screens the keyboard would cover the list.
  useLayoutEffect(() => {
    const wanted = matchMedia("(hover: hover)").matches ? "input" : "button";
    focusDrawn(() => box.current?.querySelector<HTMLElement>(wanted));
  }, []);
  const all = answers.value;
  const name = asked.trim().replace(/^\//, "");
  const found = findAnswers(all ?? [], { name, isFirst: true });
  return (
    <div ref={box} class="grid gap-3">
      {answersProblem.value !== null && (
        <Notice tone="bad">
          <p>{answersProblem.value}</p>
          <Button look="quiet" onPress={() => void loadAnswers()}>
            {words.retry}
          </Button>
        </Notice>
      )}
      {all === null && answersProblem.value === null && (
        <div class="appears-late h-24 rounded-lg bg-pane" aria-busy="true" />
      )}
      {all?.length === 0 && <p class="text-dim">{words.none}</p>}
      {all !== null && all.length > 0 && (
        <>
          <input
            type="search"
            class="min-h-11 w-full rounded-md border border-edge bg-bg px-3 py-2 placeholder:text-dim"
            aria-label={words.find}
            placeholder={words.find}
            value={asked}
            onInput={(event) => setAsked(event.currentTarget.value)}
          />
          {found.length === 0 && <p class="text-dim">{words.nothing}</p>}
          {found.length > 0 && (
            <div class="max-h-[45dvh] overflow-y-auto">
              <List label={words.title}>
                {found.map((answer) => (
                  <Row
                    key={answer.id}
                    title={`/${answer.name}`}
                    detail={beginning(answer.text)}
                    onPress={() => onOpen({ kind: "change", answer })}
                  />
                ))}
              </List>
            </div>
          )}
        </>
      )}
      <div class="flex justify-end">
        <Button look="primary" onPress={() => onOpen({ kind: "add", name: "", text: "" })}>
          <Icon name="plus" />
          {words.add}
        </Button>
      </div>
    </div>
  );
}
