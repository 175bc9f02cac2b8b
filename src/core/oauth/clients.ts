import { type Queryable, sql } from "../../database/database.ts";
import { isUuid, newId } from "../../platform/ids.ts";
import { audit, together } from "../audit/audit.ts";
import type { Directory } from "../directory/directory.ts";
import { sharePartners } from "../directory/partners.ts";
import { AppError } from "../errors.ts";
import { redirectUriProblem } from "./redirect-uri.ts";

/** A partner's application. Its id is public; the partner's password authenticates it. */
export interface OauthClient {
  readonly id: string;
  readonly partnerId: number;
  readonly name: string;
  /** Allowed redirect addresses, compared exactly. */
  readonly redirectUris: readonly string[];
}

/** Input of an operator that is rejected; the message says why. */
export class ClientFault extends Error {
  override readonly name = "ClientFault";
}

const COLUMNS = 'c.id, c.partner_id as "partnerId", c.name, c.redirect_uris as "redirectUris"';

const INSERT = sql(
  "oauth_client_insert",
  "insert into oauth_clients (id, partner_id, name, redirect_uris) values ($1, $2, $3, $4)",
);
const FIND = sql(
  "oauth_client_find",
  `select ${COLUMNS}, p.name as "partnerName" from oauth_clients c join partners p on p.id = c.partner_id
   where c.id = $1`,
);
const LIST = sql(
  "oauth_client_list",
  `select ${COLUMNS}, p.email as partner from oauth_clients c join partners p on p.id = c.partner_id
   order by p.email, c.created_at, c.id`,
);

/**
 * Throws `ClientFault` for an invalid redirect address. Without any address, the client can only refresh tokens. With a
 * directory it is known in all cells; throws UNAVAILABLE while that is away.
 */
export async function registerClient(
  db: Queryable,
  { partnerId, name, redirectUris }: Omit<OauthClient, "id">,
  directory: Directory | null,
): Promise<OauthClient> {
  for (const uri of redirectUris) {
    const problem = redirectUriProblem(uri);
    if (problem !== null) throw new ClientFault(`The redirect address "${uri}" ${problem}`);
  }
  const id = newId();
  if (directory !== null) {
    const shared = { id, partner_id: partnerId, name, redirect_uris: redirectUris };
    const client = { ...shared, created_at: new Date().toISOString() };
    if (!(await sharePartners(directory, { clients: [client] })))
      throw new ClientFault("The directory does not know this partner yet; repeat it in a minute");
  }
  await together(db, async (tx) => {
    await tx.query(INSERT, [id, partnerId, name, redirectUris]);
    const details = { partnerId, redirectUris };
    await audit(tx, { accountId: null, action: "oauth_client.create", subject: id, details });
  });
  return { id, partnerId, name, redirectUris };
}

/** The client of any partner, with the partner's name; null if there is none. */
export async function findClient(
  db: Queryable,
  id: string,
): Promise<(OauthClient & { readonly partnerName: string }) | null> {
  if (!isUuid(id)) return null;
  const [row] = await db.query<OauthClient & { partnerName: string }>(FIND, [id]);
  return row ?? null;
}

/** A client of this partner. Throws INVALID_CLIENT if there is none, or it belongs to another partner. */
export async function getClient(db: Queryable, partnerId: number, id: string): Promise<OauthClient> {
  const client = await findClient(db, id);
  if (client === null || client.partnerId !== partnerId) throw new AppError("INVALID_CLIENT");
  return client;
}

export async function listClients(db: Queryable): Promise<(OauthClient & { readonly partner: string })[]> {
  return db.query(LIST, []);
}
