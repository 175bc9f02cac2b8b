import type { Vault, VaultEntry } from "../../../core/transport/connector.ts";

const FAMILY = "account";
const ID = "user";
/**
 * The families of a link. People, places and sends are kept after the link ends, because they belong to the account.
 */
const SESSION = ["auth-key", "value", FAMILY];

/** The user id of the linked account; null if none is linked. */
export async function linkedUser(vault: Pick<Vault, "read">): Promise<string | null> {
  const stored = (await vault.read(FAMILY, [ID])).get(ID);
  return stored === undefined ? null : Buffer.from(stored).toString();
}

/** Must be written together with the keys. */
export function linkedEntry(userId: string): VaultEntry {
  return { family: FAMILY, id: ID, value: Buffer.from(userId) };
}

/** Deletes the keys, which are no longer valid. */
export async function forgetSession(vault: Vault): Promise<void> {
  const families = await Promise.all(
    SESSION.map(async (family) =>
      [...(await vault.readAll(family)).keys()].map((id) => ({ family, id, value: null })),
    ),
  );
  const entries = families.flat();
  if (entries.length > 0) await vault.write(entries);
}
