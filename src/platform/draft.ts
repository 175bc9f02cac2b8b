/** What a draft says was stored is not there any more: begin it anew. */
export class DraftLost extends Error {
  override readonly name = "DraftLost";
  constructor(id: string, cause?: unknown) {
    super(`What was written of the file ${id} is gone`, { cause });
  }
}

/**
 * A file that is written in several steps, as far as it is stored. It is JSON for its owner to keep: what was appended
 * counts from the moment when the owner has stored the draft that `append` answered with.
 */
export interface Draft {
  readonly bytes: number;
  /** Who wrote it, see `FileStore.append`. */
  readonly writer: number;
  /** The store's own. */
  readonly [more: string]: unknown;
}

/** What is appended to a draft. */
export interface Piece {
  readonly writer: number;
  readonly bytes: readonly Buffer[];
}

/** Smallest piece of a draft, but for the last. */
export const MIN_PIECE_BYTES = 5 * 1024 * 1024;
