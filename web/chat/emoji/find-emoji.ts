export interface Emoji {
  readonly text: string;
  /** Index of `GROUPS`. */
  readonly group: number;
  readonly hasTones: boolean;
  /** Its name, then other words for it, in one language. */
  readonly words: readonly string[];
}

/** The order in the picker, by the numbers of Unicode's groups; 2 are components, which no text contains alone. */
export const GROUPS = [0, 1, 3, 4, 5, 6, 7, 8, 9] as const;
const MAX_FOUND = 96;
const LIGHT = 0x1f3fb;

/** `list`: a line for each emoji, `words`: a line for each of the same, as `tools/emoji.ts` writes them. Pure. */
export function readEmoji(list: string, words: string): readonly Emoji[] {
  const named = words.split("\n");
  return list.split("\n").map((line, index) => ({
    text: line.slice(2),
    group: GROUPS.indexOf(Number(line[0]) as 0),
    hasTones: line[1] === "+",
    words: named[index]?.split("|") ?? [],
  }));
}

/** Emoji whose words begin with all words of `asked`; those whose name does come first. Pure. */
export function findEmoji(all: readonly Emoji[], asked: string): readonly Emoji[] {
  const parts = plain(asked)
    .split(/[\s,]+/)
    .filter((part) => part !== "");
  if (parts.length === 0) return [];
  const ranked = all.flatMap((emoji) => {
    const [name = "", ...others] = emoji.words.map(plain);
    const begins = (text: string, part: string) => text.split(" ").some((word) => word.startsWith(part));
    if (parts.every((part) => begins(name, part))) return [{ emoji, rank: name === parts[0] ? 0 : 1 }];
    return parts.every((part) => [name, ...others].some((text) => begins(text, part)))
      ? [{ emoji, rank: 2 }]
      : [];
  });
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MAX_FOUND)
    .map(({ emoji }) => emoji);
}

/** Without case and accents: people search "cafe" and "елка". */
function plain(text: string): string {
  return text.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "");
}

/** With a skin tone from 1 (light) to 5 (dark); 0: without. Pure. */
export function withTone({ text, hasTones }: Pick<Emoji, "text" | "hasTones">, tone: number): string {
  if (!hasTones || tone === 0) return text;
  const [first = "", ...rest] = text;
  return first + String.fromCodePoint(LIGHT + tone - 1) + rest.join("").replace(/^\uFE0F/, "");
}
