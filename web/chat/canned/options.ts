import type { IconName } from "../../kit/icon.tsx";
import { beginning } from "../../kit/pieces.ts";
import { composerField } from "../composer/composer-focus.ts";
import { known } from "../list/chats.ts";
import type { Recipient } from "../list/recipient.ts";
import { session } from "../session.ts";
import type { Begin } from "./answer-dialog.tsx";
import { type Answer, answers, answersProblem, loadAnswers } from "./answers.ts";
import { contactName, fillIn, type Names } from "./fill-in.ts";
import { findAnswers } from "./find.ts";
import type { TypedName } from "./typed-name.ts";
import { cannedWords } from "./words.ts";

/** An option of the list: an answer to insert, or another action. */
export interface Option {
  readonly key: string;
  readonly title: string;
  readonly detail: string | null;
  readonly icon: IconName | null;
  readonly choose: () => void;
}

/** The options for the typed name: answers to insert, then other actions. */
export function optionsFor(typed: TypedName, names: Names, open: (begin: Begin) => void): Option[] {
  const words = cannedWords.value;
  const all = answers.value;
  const action = (title: string, icon: IconName, choose: () => void): Option => {
    return { key: icon, title, detail: null, icon, choose };
  };
  const manage = action(words.manage, "edit", () => open({ kind: "list" }));
  if (all === null)
    return answersProblem.value === null
      ? [manage]
      : [action(words.retry, "retry", () => void loadAnswers())];
  const insertable = findAnswers(all, typed).map((answer) => insertion(answer, typed, names));
  const add = (title: string) =>
    action(title, "plus", () => open({ kind: "add", name: typed.name, text: "" }));
  if (insertable.length > 0) return [...insertable, manage];
  return [
    typed.name === "" ? add(words.add) : add(words.addTyped(typed.name)),
    ...(all.length === 0 ? [] : [manage]),
  ];
}

function insertion({ id, name, text }: Answer, { start }: TypedName, names: Names): Option {
  const filled = fillIn(text, names);
  return {
    key: id,
    title: `/${name}`,
    detail: beginning(filled),
    icon: null,
    choose: () => insert(start, filled),
  };
}

/** Replaces the typed name, so that the browser's undo restores it. */
function insert(start: number, text: string): void {
  const field = composerField.current;
  if (field === null) return;
  field.focus();
  field.setSelectionRange(start, field.selectionStart);
  if (document.execCommand("insertText", false, text)) return;
  field.setRangeText(text, start, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Restores the caret: after a dialog all browsers restore the focus, but some lose the caret's position. */
export function writeOn(caret: number): void {
  const field = composerField.current;
  field?.blur();
  field?.focus();
  field?.setSelectionRange(caret, caret);
}

export function namesIn(place: string, to: Recipient | null): Names {
  const chat = known.value.get(place);
  const contact = chat === undefined ? (to?.name ?? null) : contactName(chat);
  return { contact, employee: session.value?.user.name ?? null };
}
