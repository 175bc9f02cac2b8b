import type { Queryable } from "../../database/database.ts";
import { awayError, type Directory, DirectoryAway } from "./directory.ts";

/** A partner as all cells know it. */
export interface SharedPartner {
  readonly id: number;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  /** As stored: its hash. */
  readonly password: string;
  readonly created_at: string;
}

/** A partner's application as all cells know it. */
export interface SharedClient {
  readonly id: string;
  readonly partner_id: number;
  readonly name: string;
  readonly redirect_uris: readonly string[];
  readonly created_at: string;
}

export interface SharedPartners {
  readonly partners: readonly SharedPartner[];
  readonly clients: readonly SharedClient[];
}

// Also the lock of all changes: their versions are in the order of their commits.
const CHANGE = "update directory_state set partners_version = partners_version + 1";
const VERSION = "select partners_version::text as version from directory_state";
const ADD_PARTNERS = `insert into partners (id, email, name, password, created_at)
  select id, email, name, password, created_at from json_to_recordset($1::json)
    as r(id bigint, email text, name text, password text, created_at timestamptz)
  on conflict do nothing returning id`;
const ADD_CLIENTS = `insert into oauth_clients (id, partner_id, name, redirect_uris, created_at)
  select r.id, r.partner_id, r.name, r.redirect_uris, r.created_at from json_to_recordset($1::json)
    as r(id uuid, partner_id bigint, name text, redirect_uris text[], created_at timestamptz)
  join partners p on p.id = r.partner_id on conflict do nothing returning id`;
const SET_PASSWORD = "update partners set password = $2 where id = $1";
const PARTNERS = "select id, email, name, password, created_at::text as created_at from partners";
const CLIENTS =
  "select id, partner_id, name, redirect_uris, created_at::text as created_at from oauth_clients";

/** The version of the partners, which differs after each change. Throws `DirectoryAway`. */
export async function partnersVersion(directory: Directory): Promise<string> {
  const [row] = await directory.ask((db) => db.query<{ version: string }>(VERSION));
  return row?.version ?? "0";
}

/**
 * Adds the partners and applications that the directory lacks, and returns all that it has then, with their version. One
 * whose e-mail address another partner has is left out. Throws `DirectoryAway`.
 */
export function exchangePartners(
  directory: Directory,
  own: SharedPartners,
): Promise<SharedPartners & { readonly version: string }> {
  return directory.askTogether(async (tx) => {
    const known = await tx.query<{ id: number }>("select id from partners");
    const knownClients = await tx.query<{ id: string }>("select id from oauth_clients");
    const [ids, clientIds] = [
      new Set(known.map(({ id }) => id)),
      new Set(knownClients.map(({ id }) => id)),
    ] as const;
    const partners = own.partners.filter(({ id }) => !ids.has(id));
    const clients = own.clients.filter(({ id }) => !clientIds.has(id));
    if (partners.length + clients.length > 0) await add(tx, { partners, clients });
    const [version] = await tx.query<{ version: string }>(VERSION);
    return {
      version: version?.version ?? "0",
      partners: await tx.query<SharedPartner>(PARTNERS),
      clients: await tx.query<SharedClient>(CLIENTS),
    };
  });
}

/** Returns whether all were added. */
async function add(tx: Queryable, { partners, clients }: SharedPartners): Promise<boolean> {
  const added = await tx.query(ADD_PARTNERS, [JSON.stringify(partners)]);
  const addedClients = await tx.query(ADD_CLIENTS, [JSON.stringify(clients)]);
  if (added.length + addedClients.length > 0) await tx.query(CHANGE);
  return added.length + addedClients.length === partners.length + clients.length;
}

/**
 * Adds a new partner or application. False: another cell has a partner with this e-mail address or id. Throws UNAVAILABLE if
 * the directory is away. Idempotent for the same id, as far as it was stored.
 */
export function sharePartners(directory: Directory, added: Partial<SharedPartners>): Promise<boolean> {
  return orRefuse(directory.askTogether((tx) => add(tx, { partners: [], clients: [], ...added })));
}

/** Throws UNAVAILABLE if the directory is away. */
export async function sharePassword(directory: Directory, id: number, password: string): Promise<void> {
  await orRefuse(
    directory.askTogether(async (tx) => {
      await tx.query(CHANGE);
      await tx.query(SET_PASSWORD, [id, password]);
    }),
  );
}

async function orRefuse<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof DirectoryAway ? awayError(error) : error;
  }
}
