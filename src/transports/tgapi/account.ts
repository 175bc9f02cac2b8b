import type { Vault, VaultEntry } from "../../core/transport/connector.ts";

const FAMILY = "account";
const ID = "user";
/** What makes up a link; people, places and sends outlive it, for they are the same account's. */
const SESSION = ["auth-key", "value", FAMILY];

/** The user id of the account that is linked; null where none is. */
export async function linkedUser(vault: Pick<Vault, "read">): Promise<string | null> {
  const stored = (await vault.read(FAMILY, [ID])).get(ID);
  return stored === undefined ? null : Buffer.from(stored).toString();
}

/** To be written together with the keys. */
export function linkedEntry(userId: string): VaultEntry {
  return { family: FAMILY, id: ID, value: Buffer.from(userId) };
}

/** Forgets the keys, which are worth nothing any more. */
export async function forgetSession(vault: Vault): Promise<void> {
  const families = await Promise.all(
    SESSION.map(async (family) =>
      [...(await vault.readAll(family)).keys()].map((id) => ({ family, id, value: null })),
    ),
  );
  const entries = families.flat();
  if (entries.length > 0) await vault.write(entries);
}
