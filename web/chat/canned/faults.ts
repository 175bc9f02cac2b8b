import { cannedWords } from "./words.ts";

/** The service's limits, in characters. */
const MAX_NAME = 40;
const MAX_TEXT = 4_096;

/** The error in a name, as a sentence; undefined if there is none. `others`: the account's other answers. */
export function nameFault(name: string, others: readonly { readonly name: string }[]): string | undefined {
  const words = cannedWords.value;
  if (name === "" || /[\s/]/.test(name)) return words.oneWord;
  if ([...name].length > MAX_NAME) return words.longName;
  const isTaken = others.some((other) => other.name.toLowerCase() === name.toLowerCase());
  return isTaken ? words.taken : undefined;
}

export function textFault(text: string): string | undefined {
  const words = cannedWords.value;
  const excess = [...text].length - MAX_TEXT;
  if (excess > 0) return words.longText(excess);
  return text === "" ? words.noText : undefined;
}
