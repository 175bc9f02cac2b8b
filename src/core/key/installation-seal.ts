import { randomBytes } from "node:crypto";
import type { Database, Queryable } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import { createSeal, type Seal } from "../../platform/seal.ts";
import { audit } from "../audit/audit.ts";
import { type IdRange, idRange, joinCells, joinedRange, keepMembership } from "../cell.ts";
import { knownFact, rememberFact } from "../installation.ts";

/** The database was used with another SECRET_KEY: its sealed values could not be decrypted. */
class OtherSecretKey extends Error {
  override readonly name = "OtherSecretKey";
  constructor(known: string, ours: string) {
    super(
      `This database was used with another SECRET_KEY (fingerprint ${known}; the one given has ${ours}). ` +
        "Start with that key, or give it as SECRET_KEY_OTHER; without DATABASE_URL it is stored in DATA_DIR/secret.key.",
    );
  }
}

export interface SecretKeys {
  readonly secretKey: string;
  /** A second key, during a rotation. */
  readonly otherKey: string | undefined;
}

const DERIVATION_CONTEXT = "derivation key";
const DATABASE_ID = "database_id";

/**
 * The seal of this installation. Stores the key's fingerprint at the first start and rejects other keys at later
 * starts. The first start also creates the random key from which other secrets are derived, and stores it sealed: key
 * rotation does not change callbacks of messengers, links and tokens.
 */
export async function openSeal(db: Database, { secretKey, otherKey }: SecretKeys): Promise<Seal> {
  const seal = createSeal(secretKey, { other: otherKey });
  const known = await rememberFact(db, "key_fingerprint", seal.fingerprint);
  if (known !== seal.fingerprint && known !== seal.otherFingerprint)
    throw new OtherSecretKey(known, seal.fingerprint);
  const fresh = seal.seal(randomBytes(32), DERIVATION_CONTEXT).toString("base64");
  const sealed = Buffer.from(await rememberFact(db, "derivation_key", fresh), "base64");
  return createSeal(secretKey, {
    other: otherKey,
    derivationKey: seal.open(sealed, DERIVATION_CONTEXT),
  });
}

/** The fingerprint of the key that this database is used with; null before the first start. */
export function knownFingerprint(db: Queryable): Promise<string | null> {
  return knownFact(db, "key_fingerprint");
}

/** Seals the derivation key with the present key, and stores this key's fingerprint as the installation's. */
export async function adoptKey(db: Database, seal: Seal): Promise<void> {
  await db.tx(async (tx) => {
    const [row] = await tx.query<{ value: string }>(
      "select value from installation where key = 'derivation_key' for update",
    );
    if (row !== undefined) {
      const key = seal.open(Buffer.from(row.value, "base64"), DERIVATION_CONTEXT);
      const sealed = seal.seal(key, DERIVATION_CONTEXT).toString("base64");
      await tx.query("update installation set value = $1 where key = 'derivation_key'", [sealed]);
    }
    await tx.query(
      `insert into installation (key, value) values ('key_fingerprint', $1)
       on conflict (key) do update set value = excluded.value`,
      [seal.fingerprint],
    );
    await audit(tx, { accountId: null, action: "installation.key", subject: seal.fingerprint });
  });
}

/** The cell cannot take over the derivation key; the message says why. */
export class DerivationNotAdopted extends Error {
  override readonly name = "DerivationNotAdopted";
}

/**
 * Joins this cell to the first one of an installation, under its name. Takes over the derivation key, so that accounts can
 * move between the two: their callbacks, links and tokens are derived from it. Takes a range of ids of accounts, which it
 * returns. Throws `DerivationNotAdopted` if something here was derived from the present key, or a node knows it, and
 * `OtherCell`. Idempotent.
 */
export async function adoptDerivation(
  db: Database,
  from: Queryable,
  { secretKey, cell: name }: Pick<SecretKeys, "secretKey"> & { readonly cell: string },
): Promise<IdRange> {
  const seal = createSeal(secretKey);
  const fingerprint = await knownFingerprint(from);
  if (fingerprint !== seal.fingerprint)
    throw new DerivationNotAdopted(
      `The other cell uses another SECRET_KEY (fingerprint ${fingerprint ?? "unknown"}; the one given has ${seal.fingerprint}). Both need the same one.`,
    );
  const theirs = await derivationOf(from, seal);
  if (theirs === null) throw new DerivationNotAdopted("The other cell was never started: start it first.");
  const databaseId = await rememberFact(db, DATABASE_ID, newId());
  if ((await knownFact(from, DATABASE_ID)) === databaseId)
    throw new DerivationNotAdopted("The other cell is this one: both names lead to the same database.");
  await refuseUsed(db, await derivationOf(db, seal), theirs);
  const range = await joinCells(from, { name, databaseId, range: await joinedRange(db) });
  await db.tx(async (tx) => {
    const ours = await derivationOf(tx, seal);
    await keepMembership(tx, name, range);
    if (ours?.equals(theirs) === true) return;
    await refuseUsed(tx, ours, theirs);
    await tx.query(
      `insert into installation (key, value) values ('derivation_key', $1), ('key_fingerprint', $2)
       on conflict (key) do update set value = excluded.value`,
      [seal.seal(theirs, DERIVATION_CONTEXT).toString("base64"), seal.fingerprint],
    );
    await audit(tx, { accountId: null, action: "installation.key", subject: seal.fingerprint });
  });
  return idRange(db);
}

/** Only an unused cell can take over another key. */
async function refuseUsed(db: Queryable, ours: Buffer | null, theirs: Buffer): Promise<void> {
  if (ours?.equals(theirs) === true) return;
  const [used] = await db.query<{ account: boolean; node: boolean }>(
    `select exists (select from accounts) or exists (select from operators) as account,
       exists (select from nodes where lease_until > now()) as node`,
  );
  if (used?.account === true)
    throw new DerivationNotAdopted(
      "This cell has accounts or operators already, whose links and tokens its present key made. Only an unused cell can take over the key of another one.",
    );
  if (used?.node === true) throw new DerivationNotAdopted("A service is using this cell. Stop it first.");
}

async function derivationOf(db: Queryable, seal: Seal): Promise<Buffer | null> {
  const sealed = await knownFact(db, "derivation_key");
  return sealed === null ? null : seal.open(Buffer.from(sealed, "base64"), DERIVATION_CONTEXT);
}
