import { randomInt } from "node:crypto";
import { type Database, type Queryable, sql } from "../../database/database.ts";
import { newSecret } from "../../platform/ids.ts";
import { audit, together } from "../audit/audit.ts";
import type { Directory } from "../directory/directory.ts";
import { sharePartners, sharePassword } from "../directory/partners.ts";
import { hashPassword, MIN_PASSWORD_LENGTH } from "./password.ts";

/** A reseller that creates accounts for its clients and acts for them. Its id has nine digits. */
export interface Partner {
  readonly id: number;
  /** Lowercase. */
  readonly email: string;
  readonly name: string;
}

export interface ListedPartner extends Partner {
  readonly createdAt: Date;
  /** How many accounts the partner has created. */
  readonly accounts: number;
}

/** Input of an operator that is rejected; the message says why. */
export class PartnerFault extends Error {
  override readonly name = "PartnerFault";
}

const EMAIL = /^[^\s@:]{1,64}@[^\s@:]{1,190}$/;
const MAX_PASSWORD_BYTES = 1_024;

const INSERT = sql(
  "partner_insert",
  `insert into partners (id, email, name, password) values ($1, $2, $3, $4)
   on conflict do nothing returning id, email, name`,
);
const FIND = sql("partner_find", "select id, email, name, password from partners where email = $1");
const FIND_BY_ID = sql("partner_by_id", "select id, email, name from partners where id = $1");
const LIST = sql(
  "partner_list",
  `select p.id, p.email, p.name, p.created_at as "createdAt", count(a.id)::int as accounts
   from partners p left join accounts a on a.partner_id = p.id group by p.id order by p.email`,
);
const SET_PASSWORD = sql(
  "partner_password",
  "update partners set password = $2 where email = $1 returning id",
);

/**
 * Throws `PartnerFault` if the address is taken or invalid, or the password too short. With a directory the partner is one
 * of all cells; throws UNAVAILABLE while that is away.
 */
export async function createPartner(
  db: Database,
  partner: { readonly email: string; readonly name: string; readonly password: string },
  directory: Directory | null,
): Promise<Partner> {
  const email = normalEmail(partner.email);
  if (!EMAIL.test(email)) throw new PartnerFault(`"${partner.email}" is not an e-mail address`);
  const password = await storedPassword(partner.password);
  for (;;) {
    if ((await findPartner(db, email)) !== null)
      throw new PartnerFault(`There is a partner ${email} already`);
    const id = randomInt(100_000_000, 1_000_000_000);
    if (directory !== null) await shareNew(directory, { id, email, name: partner.name, password });
    const created = await db.tx(async (tx) => {
      const [inserted] = await tx.query<Partner>(INSERT, [id, email, partner.name, password]);
      // The upkeep of a node may have copied it out of the directory meanwhile.
      const stored = inserted ?? (directory === null ? undefined : await copied(tx, { id, email }));
      if (stored !== undefined)
        await audit(tx, { accountId: null, action: "partner.create", subject: String(stored.id) });
      return stored;
    });
    if (created !== undefined) return created;
  }
}

async function copied(
  tx: Queryable,
  { id, email }: Pick<Partner, "id" | "email">,
): Promise<Partner | undefined> {
  const [found] = await tx.query<Partner>(FIND_BY_ID, [id]);
  return found?.email === email ? found : undefined;
}

async function shareNew(
  directory: Directory,
  partner: Partner & { readonly password: string },
): Promise<void> {
  const shared = { ...partner, created_at: new Date().toISOString() };
  if (!(await sharePartners(directory, { partners: [shared] })))
    throw new PartnerFault(`There is a partner ${partner.email} in another cell already`);
}

/** With the stored password hash, or null if no partner has this address. */
export async function findPartner(
  db: Queryable,
  email: string,
): Promise<(Partner & { readonly password: string }) | null> {
  const [row] = await db.query<Partner & { password: string }>(FIND, [normalEmail(email)]);
  return row ?? null;
}

/** Null if there is no such partner. */
export async function findPartnerById(db: Queryable, id: number): Promise<Partner | null> {
  const [row] = await db.query<Partner>(FIND_BY_ID, [id]);
  return row ?? null;
}

/** By e-mail address, with the number of accounts that each created. */
export async function listPartners(db: Queryable): Promise<ListedPartner[]> {
  return db.query(LIST, []);
}

/**
 * Takes effect immediately on every node, and within seconds in other cells. Issued tokens stay valid. Throws
 * `PartnerFault`, and UNAVAILABLE while the directory is away.
 */
export async function setPartnerPassword(
  db: Queryable,
  { email, password }: { readonly email: string; readonly password: string },
  directory: Directory | null,
): Promise<void> {
  const stored = await storedPassword(password);
  const partner = directory === null ? null : await findPartner(db, email);
  if (directory !== null && partner !== null) await sharePassword(directory, partner.id, stored);
  await together(db, async (tx) => {
    const [changed] = await tx.query<{ id: number }>(SET_PASSWORD, [normalEmail(email), stored]);
    if (changed === undefined) throw new PartnerFault(`There is no partner ${email}`);
    await audit(tx, { accountId: null, action: "partner.password", subject: String(changed.id) });
  });
}

/** 192 random bits. */
export function newPassword(): string {
  return newSecret(24);
}

async function storedPassword(password: string): Promise<string> {
  if ([...password].length < MIN_PASSWORD_LENGTH)
    throw new PartnerFault(`A password has at least ${MIN_PASSWORD_LENGTH} characters`);
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    throw new PartnerFault(`A password has at most ${MAX_PASSWORD_BYTES} bytes`);
  return hashPassword(password);
}

function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}
