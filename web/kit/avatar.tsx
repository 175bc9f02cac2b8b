/** Dark enough for white letters (contrast 4.5 and more). */
const COLOURS = ["#6f4bc0", "#96481f", "#23616d", "#3f5f1c", "#a3266b", "#0a6ea8", "#7a5300", "#4a5568"];

/** `id` determines the colour, so that a person has the same one everywhere. */
export function colourOf(id: string): string {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return COLOURS[sum % COLOURS.length] ?? "#4a5568";
}

/** First letters of the first and the last word; "?" if there are none. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word = "") => [...word][0] ?? "");
  return letters.join("").toUpperCase() || "?";
}

/** Decorative: the name is beside it. */
export function Avatar({
  id,
  name,
  size = 40,
}: {
  readonly id: string;
  readonly name: string;
  readonly size?: number;
}) {
  return (
    <span
      class="shaped grid shrink-0 place-items-center rounded-full text-sm font-semibold text-white"
      style={{ background: colourOf(id), width: `${size}px`, height: `${size}px` }}
      aria-hidden="true"
    >
      {initialsOf(name)}
    </span>
  );
}
