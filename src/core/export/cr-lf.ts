const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];

/**
 * Copies CSV into `to`, starting at `at`, with CR LF at the end of each line, as RFC 4180 requires; line ends within
 * quotes are kept. `isQuoted` is the state at the end of the previous chunk. `to` needs room for twice the chunk.
 * Pure except for `to`.
 */
export function toCrLf(
  piece: Uint8Array,
  { to, at, isQuoted }: { readonly to: Uint8Array; readonly at: number; readonly isQuoted: boolean },
): { readonly at: number; readonly isQuoted: boolean } {
  let [end, quoted] = [at, isQuoted];
  for (let index = 0; index < piece.length; index++) {
    const byte = piece[index] ?? 0;
    if (byte === QUOTE) quoted = !quoted;
    else if (byte === LF && !quoted) to[end++] = CR;
    to[end++] = byte;
  }
  return { at: end, isQuoted: quoted };
}
