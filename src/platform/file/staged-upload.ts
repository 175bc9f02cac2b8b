/** The data of a draft no longer exists: start a new one. */
export class StagedUploadLost extends Error {
  override readonly name = "DraftLost";
  constructor(id: string, cause?: unknown) {
    super(`The data written for the file ${id} no longer exists`, { cause });
  }
}

/**
 * The stored state of a file that is written in several steps. The owner keeps it as JSON: appended data counts once
 * the owner has stored the draft that `append` returned.
 */
export interface StagedUpload {
  readonly bytes: number;
  /** The last writer, see `FileStore.append`. */
  readonly writer: number;
  /** Fields of the specific store. */
  readonly [more: string]: unknown;
}

/** Data to append to a draft. */
export interface UploadPart {
  readonly writer: number;
  readonly bytes: readonly Buffer[];
  /**
   * The earlier writer has ended: this one continues its data in place. If the process dies before the new state is
   * stored, the data is lost. Otherwise the data is copied, and the earlier state remains valid.
   */
  readonly takesOver?: boolean;
}

/** The minimum size of a piece, except the last one. */
export const MIN_PART_BYTES = 5 * 1024 * 1024;
