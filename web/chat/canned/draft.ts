import { useState } from "preact/hooks";
import { Refusal } from "../../kit/api/client.ts";
import { newUuid } from "../../kit/uuid.ts";
import { problemOf } from "../problem.ts";
import { type Answer, answers, type Content, loadAnswers, removeAnswer, saveAnswer } from "./answers.ts";
import { nameFault, textFault } from "./faults.ts";
import { cannedWords } from "./words.ts";

/** Typed texts of closed dialogs, by answer and version. */
const kept = new Map<string, Content>();

/** An answer being written. */
export interface AnswerDraft {
  readonly content: Content;
  /** The stored version as last known; null: not stored. */
  readonly stored: Answer | null;
  readonly faults: { readonly name: string | undefined; readonly text: string | undefined };
  /** Why it could not be saved or deleted, if no field is the cause. */
  readonly problem: string | null;
  /** A colleague's change of the answer since it was opened. */
  readonly meanwhile: "changed" | "deleted" | null;
  readonly isBusy: boolean;
  write(part: Partial<Content>): void;
  /** Discards the typed text. */
  giveUp(): void;
  save(): void;
  remove(): void;
  takeTheirs(): void;
}

interface DraftOptions {
  /** The answer being changed; null for a new one. */
  readonly opened: Answer | null;
  readonly begin: Content;
  /** Called after the answer was saved or deleted. */
  readonly onDone: () => void;
}

/**
 * Never overwrites a colleague's change unseen: if a change is refused, the form shows the colleague's text, and
 * saving again replaces that version.
 */
export function useAnswerDraft({ opened, begin, onDone }: DraftOptions): AnswerDraft {
  const key = opened === null ? "new" : `${opened.id} ${opened.version}`;
  const [stored, setStored] = useState(opened);
  // The same id for every attempt, so that a repeated request adds nothing twice.
  const [newId, setNewId] = useState(newUuid);
  const [content, setContent] = useState<Content>(
    () => (begin.text === "" || opened !== null ? kept.get(key) : null) ?? begin,
  );
  const [wasSaved, setWasSaved] = useState(false);
  const [isTaken, setTaken] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [meanwhile, setMeanwhile] = useState<AnswerDraft["meanwhile"]>(null);
  const [isBusy, setBusy] = useState(false);

  const id = stored?.id ?? newId;
  const given = normalized(content);
  const others = (answers.value ?? []).filter((each) => each.id !== id);
  const faults = { name: nameFault(given.name, others), text: textFault(given.text) };
  const giveUp = () => kept.delete(key);

  const write = (part: Partial<Content>) => {
    const next = { name: content.name, text: content.text, ...part };
    setContent(next);
    setTaken(false);
    setProblem(null);
    kept.set(key, next);
  };
  const readAgain = async () => {
    await loadAnswers();
    const now = answers.value?.find((each) => each.id === id) ?? null;
    setMeanwhile(now === null ? "deleted" : "changed");
    setStored(now);
    setNewId(newUuid());
  };
  const refuse = async (error: unknown) => {
    const code = error instanceof Refusal ? error.code : null;
    if (code === "CANNED_ANSWER_CHANGED" || code === "CANNED_ANSWER_NOT_FOUND") await readAgain();
    else if (code === "CANNED_ANSWER_NAME_TAKEN") setTaken(true);
    else setProblem(code === "QUOTA_EXCEEDED" ? cannedWords.value.full : problemOf(error));
  };
  const attempt = async (work: Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await work;
      giveUp();
      onDone();
    } catch (error) {
      await refuse(error);
    } finally {
      setBusy(false);
    }
  };
  return {
    content,
    stored,
    faults: {
      name: isTaken ? cannedWords.value.taken : wasSaved ? faults.name : undefined,
      // A text that is too long is reported while it is typed.
      text: wasSaved || given.text !== "" ? faults.text : undefined,
    },
    problem,
    meanwhile,
    isBusy,
    write,
    giveUp,
    save() {
      setWasSaved(true);
      if (faults.name === undefined && faults.text === undefined) void attempt(saveAnswer(id, given, stored));
    },
    remove() {
      if (stored !== null) void attempt(removeAnswer(stored));
    },
    takeTheirs() {
      if (stored !== null) write({ name: stored.name, text: stored.text });
      setMeanwhile(null);
    },
  };
}

/** A leading slash is what is typed to find the answer; it is not part of the name. */
function normalized({ name, text }: Content): Content {
  return { name: name.trim().replace(/^\//, "").normalize("NFC"), text: text.trim() };
}
