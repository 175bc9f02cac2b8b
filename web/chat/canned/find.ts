import type { TypedName } from "./typed-name.ts";

interface Named {
  readonly name: string;
  readonly text: string;
}

/**
 * Answers that match the typed name, best first: an equal name, names that start with it, names that contain it,
 * texts with a word that starts with it. Within a message only starts of names match, because a slash there rarely
 * means an answer.
 */
export function findAnswers<T extends Named>(answers: readonly T[], typed: Omit<TypedName, "start">): T[] {
  const asked = typed.name.normalize("NFC").toLowerCase();
  const last = typed.isFirst ? 3 : 1;
  return answers
    .map((answer) => ({ answer, rank: rankOf(answer, asked) }))
    .filter(({ rank }) => rank <= last)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ answer }) => answer);
}

function rankOf({ name, text }: Named, asked: string): number {
  const known = name.toLowerCase();
  if (known === asked) return 0;
  if (known.startsWith(asked)) return 1;
  if (known.includes(asked)) return 2;
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => word.startsWith(asked)) ? 3 : Number.POSITIVE_INFINITY;
}
