import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { EXPORTED_BYTES } from "../quota/files.ts";

/** The account's quota has no room for so many bytes of the file. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
  readonly bytes: number;
  constructor(bytes: number) {
    super("The account's quota of files is used up");
    this.bytes = bytes;
  }
}

/** The file is stored, deleted, or downloaded by another node. */
export class ClaimLost extends Error {
  override readonly name = "ClaimLost";
  constructor() {
    super("The file is not waiting for this download any more");
  }
}

/** A file that is being received: it is claimed by this number of attempts. */
export interface ReceivedFile {
  readonly accountId: number;
  readonly id: string;
  readonly attempts: number;
}

/** Condition on one file. With `state = 'waiting'` the planner could choose to read the index of all waiting files. */
export const IS_WAITING = "isfinite(created_at) and state not in ('stored', 'failed')";

const RESERVE = sql(
  "file_reserve",
  `with file as (
     select account_id, id, $4::bigint - coalesce(counted_bytes, 0) as more from files
     where account_id = $1 and id = $2 and ${IS_WAITING} and attempts = $3 for update
   ), room as (
     insert into account_usage as u (account_id, file_bytes)
     select account_id, more from file where more > 0 and more + ${EXPORTED_BYTES} <= $5::bigint
     on conflict (account_id) do update set file_bytes = u.file_bytes + excluded.file_bytes
       where u.file_bytes + excluded.file_bytes + ${EXPORTED_BYTES} <= $5::bigint
     returning account_id
   ), reserved as (
     update files f set counted_bytes = $4 from file
     where f.account_id = any(array[file.account_id]) and f.id = file.id and exists (select 1 from room)
   )
   select more <= 0 or exists (select 1 from room) as fits from file`,
);

const MIN_AHEAD = 256 * 1024;
const MAX_AHEAD = 16 * 1024 * 1024;

/**
 * Reserves room in the account's quota for a file while it is received. What is reserved counts until the file is stored,
 * given up or deleted, so it also covers what a killed process has left on the disk.
 */
export class FileRoom {
  readonly #db: Queryable;
  readonly #file: ReceivedFile;
  readonly #maxBytes: number;
  #reserved = 0;

  constructor({ db, settings }: Pick<Base, "db" | "settings">, file: ReceivedFile) {
    this.#db = db;
    this.#file = file;
    this.#maxBytes = settings.quotas.fileBytes;
  }

  /**
   * Call before more than this number of bytes of the file is written. Reserves in steps that grow with the file, or
   * `isWhole`: exactly this size. Throws `NoRoom` and `ClaimLost`.
   */
  async require(bytes: number, isWhole = false): Promise<void> {
    if (this.#maxBytes === 0 || bytes <= this.#reserved) return;
    const ahead = bytes + Math.min(MAX_AHEAD, Math.max(MIN_AHEAD, bytes));
    for (const wanted of isWhole ? [bytes] : [ahead, bytes]) {
      if (!(await this.#reserve(wanted))) continue;
      this.#reserved = wanted;
      return;
    }
    throw new NoRoom(bytes);
  }

  async #reserve(bytes: number): Promise<boolean> {
    const { accountId, id, attempts } = this.#file;
    const values = [accountId, id, attempts, bytes, this.#maxBytes];
    const [file] = await this.#db.query<{ fits: boolean }>(RESERVE, values);
    if (file === undefined) throw new ClaimLost();
    return file.fits;
  }
}
