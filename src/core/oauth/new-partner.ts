import type { Database } from "../../database/database.ts";
import { createPartner, type Partner } from "../account/partners.ts";
import type { Directory } from "../directory/directory.ts";
import { registerClient } from "./clients.ts";

/**
 * Creates a partner together with a client without redirect addresses, with which tokens from a token exchange are
 * refreshed. Throws `PartnerFault`.
 */
export async function createPartnerWithClient(
  db: Database,
  given: { readonly email: string; readonly name: string; readonly password: string },
  directory: Directory | null,
): Promise<{ readonly partner: Partner; readonly clientId: string }> {
  const partner = await createPartner(db, given, directory);
  const client = await registerClient(
    db,
    { partnerId: partner.id, name: partner.name, redirectUris: [] },
    directory,
  );
  return { partner, clientId: client.id };
}
