/** The recipient of OAuth tokens: a partner's application, or, without a client, the partner itself. */
export interface Application {
  readonly partnerId: number;
  readonly clientId: string | null;
}

/** SQL condition: the row `alias` belongs to the application of these two parameters. */
export function isOfApplication(alias: string, partner: string, client: string): string {
  return `${alias}.partner_id is not distinct from ${partner}::bigint
    and ${alias}.client_id is not distinct from ${client}::uuid`;
}
