import { expect } from "vitest";

type Texts = Readonly<Record<string, unknown>>;
const SAMPLES = [0, 1, 2, 5, 21, 1_000_000, "Ann"];

/** Calls a text with arguments with names or small numbers, so that it becomes a sentence. */
const sentence = (text: unknown, value: unknown): unknown =>
  typeof text === "function" ? text(value, value) : text;

/** Texts and lists of texts, by their place, as `page.title`. */
function entries(texts: Texts, place = ""): readonly (readonly [string, unknown])[] {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === "object" && text !== null
      ? entries(text as Texts, `${place}${key}.`)
      : [[`${place}${key}`, text] as const],
  );
}

/** Each text exists, takes what the English one takes, and says it. */
export function checkTexts(texts: Texts, english: Texts): void {
  const names = (of: Texts) =>
    entries(of)
      .map(([name]) => name)
      .toSorted();
  expect(names(texts)).toEqual(names(english));
  const sources = new Map(entries(english));
  for (const [name, text] of entries(texts)) {
    const source = sources.get(name);
    expect(typeof text, name).toBe(typeof source);
    for (const value of SAMPLES) {
      const said = String(sentence(text, value));
      expect(said.trim(), name).not.toBe("");
      if (typeof text === "function" && String(sentence(source, value)).includes(String(value)))
        expect(said, name).toContain(String(value));
    }
  }
}

/** Texts that no source of the page mentions by name. */
export function unusedTexts(english: Texts, sources: Readonly<Record<string, string>>): readonly string[] {
  const words = new Set(
    Object.entries(sources)
      .filter(([path]) => !path.includes("/texts/") && !path.endsWith(".test.ts"))
      .flatMap(([, source]) => source.match(/\w+/g) ?? []),
  );
  return entries(english)
    .map(([name]) => name)
    .filter((name) => !words.has(name.split(".").at(-1) ?? ""));
}
