import { signal } from "@preact/signals";
import type { Operations } from "../../kit/api/generated.ts";
import { problemOf } from "../problem.ts";
import { ask } from "../session.ts";

export type Answer = Operations["listCannedAnswers"]["output"][number];
export type Content = Pick<Answer, "name" | "text">;

/** The account's answers, by their order and name; null until they are loaded for the first time. */
export const answers = signal<readonly Answer[] | null>(null);
/** The error of the last load. */
export const answersProblem = signal<string | null>(null);

/** Loads the answers again, because colleagues may have changed them. The known ones stay visible meanwhile. */
export async function loadAnswers(): Promise<void> {
  answersProblem.value = null;
  try {
    answers.value = await ask("listCannedAnswers", {});
  } catch (error) {
    answersProblem.value = problemOf(error);
  }
}

/**
 * Stores new content. `stored` is the version that it replaces, null for a new answer under this id. Throws as `ask`.
 */
export async function saveAnswer(id: string, content: Content, stored: Answer | null): Promise<Answer> {
  const saved =
    stored === null
      ? await ask("addCannedAnswer", { body: { id, ...content } })
      : await ask("changeCannedAnswer", { path: { id }, body: { ...content, version: stored.version } });
  replace(id, saved);
  return saved;
}

export async function removeAnswer({ id, version }: Answer): Promise<void> {
  await ask("removeCannedAnswer", { path: { id }, query: { version: String(version) } });
  replace(id, null);
}

function replace(id: string, answer: Answer | null): void {
  const others = (answers.value ?? []).filter((each) => each.id !== id);
  answers.value = (answer === null ? others : [...others, answer]).toSorted(
    (a, b) => a.order - b.order || a.name.localeCompare(b.name),
  );
}
