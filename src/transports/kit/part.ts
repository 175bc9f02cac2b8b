import type { MessageBody } from "../../core/transport/events.ts";
import { withText } from "./body.ts";
import { quotation } from "./marked-words.ts";

/** What a person reads and opens of a part of a message: lines of text, and items of their own, such as files. */
export interface Part {
  readonly words: readonly string[];
  readonly items: readonly MessageBody[];
}

export const NOTHING: Part = { words: [], items: [] };

export function joinParts(parts: readonly Part[]): Part {
  return { words: parts.flatMap(({ words }) => words), items: parts.flatMap(({ items }) => items) };
}

/** Only words; texts that are missing have no line. */
export function wordsPart(lines: readonly (string | undefined)[]): Part {
  const words = lines.flatMap((line) => (line === undefined || line === "" ? [] : [line]));
  return { words, items: [] };
}

export function itemPart(body: MessageBody): Part {
  return { words: [], items: [body] };
}

/** What was forwarded: each line of its words has the mark of a quotation. */
export function quotedPart({ words, items }: Part): Part {
  const marked = (body: MessageBody): MessageBody =>
    "text" in body && body.text !== undefined ? { ...body, text: quotation(body.text) } : body;
  return { words: words.map(quotation), items: items.map(marked) };
}

/** The bodies of a message: all words with the first item. None if there is nothing to read or open. */
export function bodiesOf({ words, items }: Part): readonly MessageBody[] {
  if (words.length === 0) return items;
  return withText(words.join("\n"), items);
}
