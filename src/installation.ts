import type { Database } from "./database/database.ts";
import type { Seal } from "./platform/seal.ts";

/** The database was used with another SECRET_KEY: nothing sealed in it could be opened. */
class OtherSecretKey extends Error {
  override readonly name = "OtherSecretKey";
  constructor(known: string, ours: string) {
    super(
      `This database was used with another SECRET_KEY (fingerprint ${known}; the one given has ${ours}). ` +
        "Start with that key; without DATABASE_URL it lies in DATA_DIR/secret.key.",
    );
  }
}

/** Remembers the key's fingerprint at the first start and refuses another key at each later one. */
export async function checkInstallation(db: Database, seal: Seal): Promise<void> {
  const [row] = await db.query<{ value: string }>(
    `insert into installation (key, value) values ('key_fingerprint', $1)
     on conflict (key) do update set value = installation.value returning value`,
    [seal.fingerprint],
  );
  if (row !== undefined && row.value !== seal.fingerprint)
    throw new OtherSecretKey(row.value, seal.fingerprint);
}

/** Frees what earlier nodes held, for a service that certainly is the only one. */
export async function releaseEverything(db: Database): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query("delete from nodes");
    await tx.query("update channels set owner = null where owner is not null");
    await tx.query("update webhook_lanes set claim = null, due = now() where claim is not null");
  });
}
