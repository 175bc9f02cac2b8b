import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// Writes the data of the emoji picker from an unpacked `emojibase-data` (MIT; its words come from Unicode CLDR):
//
//   npm pack emojibase-data@17.0.0 && tar xf emojibase-data-17.0.0.tgz && npm run emoji -- package
//
// The package is 49 MB for 40 languages, and the pages need 0.4 MB of it, so it is no dependency.

interface Emoji {
  readonly emoji: string;
  readonly label: string;
  readonly tags?: readonly string[];
  readonly group?: number;
  readonly order?: number;
  readonly version: number;
  readonly skins?: readonly { readonly emoji: string; readonly tone: number | readonly number[] }[];
}

/** Later ones are missing on many phones. */
const NEWEST = 15;
/** Modifiers alone are no emoji for a text. */
const COMPONENTS = 2;
const LANGUAGES = ["en", "ru", "es", "pt"];
const OUT = join(import.meta.dirname, "../web/chat/emoji");

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Usage: node tools/emoji.ts FOLDER_OF_EMOJIBASE_DATA");

const read = (language: string): Emoji[] =>
  (JSON.parse(readFileSync(join(folder, language, "data.json"), "utf8")) as Emoji[])
    .filter(({ group, version }) => group !== undefined && group !== COMPONENTS && version <= NEWEST)
    .toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))
    .map((each) => ({ ...each, emoji: qualified(each.emoji) }));

/** The package adds a variation selector also where Unicode's form, which keyboards type, has none. */
function qualified(emoji: string): string {
  return emoji.replace(/^(\p{Emoji_Presentation})\uFE0F$/u, "$1");
}

const LIGHT = 0x1f3fb;

/** The page makes the tones by itself: the modifier follows the first character, in place of its variation selector. */
function hasTones({ emoji, skins = [] }: Emoji): boolean {
  return [1, 2, 3, 4, 5].every((tone) => {
    const [first = "", ...rest] = emoji;
    const expected = first + String.fromCodePoint(LIGHT + tone - 1) + rest.join("").replace(/^\uFE0F/, "");
    return skins.some((skin) => skin.tone === tone && skin.emoji === expected);
  });
}

function words({ label, tags = [] }: Emoji): string {
  const own = label.toLowerCase();
  const others = tags.map((tag) => tag.toLowerCase()).filter((tag) => !own.includes(tag));
  return [label, ...new Set(others)].join("|").replaceAll("\n", " ");
}

function write(name: string, lines: readonly string[]): void {
  const text = lines.join("\n").replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("$", "\\$");
  const head = "// Written by tools/emoji.ts; changes are lost.\n\n";
  writeFileSync(
    join(OUT, `${name}.ts`),
    `${head}export const ${name === "list" ? "list" : "words"} = \`${text}\`;\n`,
  );
}

const english = read("en");
write(
  "list",
  english.map((each) => `${each.group}${hasTones(each) ? "+" : "-"}${each.emoji}`),
);
for (const language of LANGUAGES) {
  const known = new Map(read(language).map((each) => [each.emoji, each]));
  write(
    language,
    english.map((each) => words(known.get(each.emoji) ?? each)),
  );
}
