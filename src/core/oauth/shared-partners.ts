import { type Database, sql } from "../../database/database.ts";
import { rememberPartnersSeen } from "../account/partner-age.ts";
import type { Base } from "../base.ts";
import type { Directory } from "../directory/directory.ts";
import {
  exchangePartners,
  partnersVersion,
  type SharedClient,
  type SharedPartner,
} from "../directory/partners.ts";
import { knownFact, setFact } from "../installation.ts";

const VERSION = "directory_partners_version";
const OWN_PARTNERS = sql(
  "shared_partners_own",
  "select id, email, name, password, created_at::text as created_at from partners",
);
const OWN_CLIENTS = sql(
  "shared_clients_own",
  "select id, partner_id, name, redirect_uris, created_at::text as created_at from oauth_clients",
);
// The e-mail address of a partner who exists in two cells belongs to the one of this cell here.
const TAKE_PARTNERS = sql(
  "shared_partners_take",
  `insert into partners as p (id, email, name, password, created_at)
   select r.id, r.email, r.name, r.password, r.created_at from json_to_recordset($1::json)
     as r(id bigint, email text, name text, password text, created_at timestamptz)
   where not exists (select from partners o where o.email = r.email and o.id <> r.id)
   on conflict (id) do update set email = excluded.email, name = excluded.name, password = excluded.password
     where (p.email, p.name, p.password) is distinct from (excluded.email, excluded.name, excluded.password)`,
);
const TAKE_CLIENTS = sql(
  "shared_clients_take",
  `insert into oauth_clients as c (id, partner_id, name, redirect_uris, created_at)
   select r.id, r.partner_id, r.name, r.redirect_uris, r.created_at from json_to_recordset($1::json)
     as r(id uuid, partner_id bigint, name text, redirect_uris text[], created_at timestamptz)
   join partners p on p.id = any(array[r.partner_id])
   on conflict (id) do update set name = excluded.name, redirect_uris = excluded.redirect_uris
     where (c.name, c.redirect_uris) is distinct from (excluded.name, excluded.redirect_uris)`,
);

/**
 * Takes over partners and applications of other cells, and shares those of this one. Costs one statement while nothing has
 * changed. Returns the e-mail addresses that two partners of different cells have. Throws `DirectoryAway`. Idempotent.
 */
export async function followPartners(
  { db, clock }: Pick<Base, "clock"> & { readonly db: Database },
  directory: Directory,
): Promise<readonly string[]> {
  const version = await partnersVersion(directory);
  if (version === (await knownFact(db, VERSION))) {
    await rememberPartnersSeen(db, clock.now());
    return [];
  }
  const own = {
    partners: await db.query<SharedPartner>(OWN_PARTNERS, []),
    clients: await db.query<SharedClient>(OWN_CLIENTS, []),
  };
  const shared = await exchangePartners(directory, own);
  await db.tx(async (tx) => {
    await tx.query(TAKE_PARTNERS, [JSON.stringify(shared.partners)]);
    await tx.query(TAKE_CLIENTS, [JSON.stringify(shared.clients)]);
    await setFact(tx, VERSION, shared.version);
    await rememberPartnersSeen(tx, clock.now());
  });
  const ids = new Set(shared.partners.map(({ id }) => id));
  return own.partners.filter(({ id }) => !ids.has(id)).map(({ email }) => email);
}
