/** The name of a canned answer that is being typed after a slash. */
export interface TypedName {
  /** Position of the slash in the text. */
  readonly start: number;
  readonly name: string;
  /** Only white space is before the slash. */
  readonly isFirst: boolean;
}

/**
 * The name before the caret; null if none is being typed. A slash starts a name only at the start of the text or
 * after white space, so addresses, dates and "and/or" do not match.
 */
export function typedName(text: string, caret: number): TypedName | null {
  const [, name] = /(?:^|\s)\/([^\s/]{0,40})$/.exec(text.slice(0, caret)) ?? [];
  // The caret is inside a word.
  if (name === undefined || /^\S/.test(text.slice(caret))) return null;
  const start = caret - name.length - 1;
  return { start, name, isFirst: text.slice(0, start).trim() === "" };
}
