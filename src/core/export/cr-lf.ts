const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];

/**
 * Copies CSV into `to` from `at` on, with CR LF at the end of each line, as RFC 4180 has it; line ends within quotes stay
 * as they are. `isQuoted` is the state at the end of the piece before. `to` needs room for twice the piece. Pure but for
 * `to`.
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
