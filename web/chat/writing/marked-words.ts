/** Which parts of a text match: `[from, to)` of each word that begins with one of the searched words. Pure. */
export function matchesIn(text: string, asked: string): readonly (readonly [number, number])[] {
  const parts = wordsOf(asked);
  if (parts.length === 0) return [];
  const begin = `(?<![\\p{L}\\p{N}])(?:${parts.join("|")})`;
  return [...text.matchAll(new RegExp(begin, "giu"))].map(({ index, 0: found }) => [
    index,
    index + found.length,
  ]);
}

/** Longer words first, so that they are not cut by their own beginnings. */
function wordsOf(asked: string): string[] {
  const words = asked.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words)].toSorted((a, b) => b.length - a.length);
}

const NAME = "found";
/** More are not drawn: a text of 64 KB may consist of one letter. */
const MAX_MARKED = 1_000;

/**
 * Marks the words in all messages of `log`, also in those that are drawn later, until the returned function is called.
 * The browser draws the marks (CSS custom highlights): messages stay as they are. Without them nothing is marked.
 */
export function markWords(log: HTMLElement, asked: string): () => void {
  const { Highlight: Marks, CSS: css } = globalThis;
  if (Marks === undefined || css?.highlights === undefined) return () => undefined;
  const apply = (): void => {
    const ranges: Range[] = [];
    for (const article of log.querySelectorAll("article")) {
      const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node !== null && ranges.length < MAX_MARKED; node = texts.nextNode())
        for (const [from, to] of matchesIn(node.nodeValue ?? "", asked)) {
          const range = new Range();
          range.setStart(node, from);
          range.setEnd(node, to);
          ranges.push(range);
        }
    }
    css.highlights.set(NAME, new Marks(...ranges.slice(0, MAX_MARKED)));
  };
  const observer = new MutationObserver(apply);
  observer.observe(log, { childList: true, characterData: true, subtree: true });
  apply();
  return () => {
    observer.disconnect();
    css.highlights.delete(NAME);
  };
}
