/** Characters that reverse what follows them (LRO and RLO). */
const OVERRIDES = /[\u202D\u202E]/g;
/** All characters that change directions: marks, embeddings, overrides, isolates. */
const DIRECTIONS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** A text without the characters that show letters in another order than they are in. Others of a direction stay. */
export function withoutOverrides(text: string): string {
  return text.replace(OVERRIDES, "");
}

/** A name without characters of directions: with them, `photo[RLO]gpj.exe` looks like a picture. */
export function withoutDirections(name: string): string {
  return name.replace(DIRECTIONS, "");
}
