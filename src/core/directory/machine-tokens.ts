import type { Directory } from "./directory.ts";

/** A machine token as all cells know it: its SHA-256 in hexadecimal. */
export interface SharedMachineToken {
  readonly hash: string;
  readonly grant: string;
  readonly partner: number;
  readonly scope: readonly string[];
  /** Seconds until it expires. */
  readonly seconds: number;
}

const ADD = `insert into machine_tokens (hash, grant_id, partner_id, scope, expires_at)
  select decode(hash, 'hex'), "grant", partner, scope, now() + seconds * interval '1 second' from json_to_recordset($1::json)
    as r(hash text, "grant" uuid, partner bigint, scope text[], seconds float8) on conflict do nothing`;
const REMOVE_OLD = "delete from machine_tokens where expires_at < now()";
const FIND = `select scope from machine_tokens where hash = decode($1, 'hex') and partner_id = $2 and expires_at > now()`;
const END = "delete from machine_tokens where grant_id = $1";

/** Adds tokens, and removes those that have expired. Throws `DirectoryAway`. Idempotent. */
export async function shareMachineTokens(
  directory: Directory,
  tokens: readonly SharedMachineToken[],
): Promise<void> {
  await directory.askTogether(async (tx) => {
    await tx.query(ADD, [JSON.stringify(tokens)]);
    await tx.query(REMOVE_OLD);
  });
}

/** The scope of a valid machine token of this partner; null if there is none. Throws `DirectoryAway`. */
export async function sharedMachineScope(
  directory: Directory,
  partnerId: number,
  hash: string,
): Promise<readonly string[] | null> {
  const [row] = await directory.ask((db) => db.query<{ scope: string[] }>(FIND, [hash, partnerId]));
  return row?.scope ?? null;
}

/** Throws `DirectoryAway`; then the tokens of the grant remain valid in other cells until they expire. */
export async function endMachineTokens(directory: Directory, grantId: string): Promise<void> {
  await directory.ask((db) => db.query(END, [grantId]));
}
