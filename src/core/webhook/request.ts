import type { Core } from "../core.ts";
import type { Delivery } from "./post.ts";
import { signatureHeaders } from "./signature.ts";

/** Where a request goes and what it is signed with; keys are sealed. */
export interface Address {
  readonly accountId: number;
  readonly endpointId: string;
  readonly url: string;
  readonly crmKey: Buffer | null;
  readonly secret: Buffer;
  /** Signs too while receivers may still have it. */
  readonly previousSecret: Buffer | null;
}

/** Columns of `webhook_endpoints e` that make an address, as they are called there. */
export const ADDRESS_COLUMNS = `e.account_id, e.id as endpoint_id, e.url, e.crm_key, e.secret,
  case when e.previous_secret_until > now() then e.previous_secret end as previous_secret`;

export interface AddressRow {
  readonly account_id: number;
  readonly endpoint_id: string;
  readonly url: string;
  readonly crm_key: Buffer | null;
  readonly secret: Buffer;
  readonly previous_secret: Buffer | null;
}

export function addressOf(row: AddressRow): Address {
  return {
    accountId: row.account_id,
    endpointId: row.endpoint_id,
    url: row.url,
    crmKey: row.crm_key,
    secret: row.secret,
    previousSecret: row.previous_secret,
  };
}

/** Under which purpose a key is sealed. */
export function crmKeyContext(accountId: number): string {
  return `crm-key ${accountId}`;
}

export function webhookSecretContext(accountId: number): string {
  return `webhook-secret ${accountId}`;
}

/** What a request needs besides its address. */
export interface RequestContent {
  readonly deliveryId: string;
  readonly at: Date;
  readonly body: string;
  /** Headers that mark a request which is no ordinary delivery. */
  readonly marks?: Readonly<Record<string, string>>;
}

/** Header of a request that no CRM should take for real. */
export const TEST_MARK = { "webhook-test": "true" };

export type Keys = Pick<Core, "seal"> & {
  readonly settings: Pick<Core["settings"], "webhookContentType">;
};

/** A complete request: content type, the CRM's key, signature. */
export function signedRequest({ seal, settings }: Keys, to: Address, content: RequestContent): Delivery {
  const { deliveryId, at, body, marks } = content;
  const open = (sealed: Buffer | null, context: string): Buffer[] =>
    sealed === null ? [] : [seal.open(sealed, context)];
  const [crmKey] = open(to.crmKey, crmKeyContext(to.accountId));
  const context = webhookSecretContext(to.accountId);
  const secrets = [...open(to.secret, context), ...open(to.previousSecret, context)];
  const headers = {
    "content-type": settings.webhookContentType,
    "user-agent": "Trunkline",
    ...(crmKey === undefined ? {} : { authorization: `Bearer ${crmKey.toString()}` }),
    ...signatureHeaders(secrets, deliveryId, at, body),
    ...marks,
  };
  return { url: to.url, headers, body };
}
