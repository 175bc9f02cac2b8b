import type { Base } from "../../base.ts";
import type { Delivery } from "./post.ts";
import { signatureHeaders } from "./signature.ts";

/** The address of a request and the keys that sign it; keys are sealed. */
export interface Address {
  readonly accountId: number;
  readonly endpointId: string;
  readonly url: string;
  readonly crmKey: Buffer | null;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
  /** Until then, the previous secret signs as well. */
  readonly previousUntil: Date | null;
}

/** Columns of `webhook_endpoints e` that make an address. */
export const ADDRESS_COLUMNS = `e.account_id as "accountId", e.id as "endpointId", e.url, e.crm_key as "crmKey", e.secret,
  e.previous_secret as "previousSecret", e.previous_secret_until as "previousUntil"`;

/** The context under which the key is sealed. */
export function crmKeyContext(accountId: number): string {
  return `crm-key ${accountId}`;
}

export function webhookSecretContext(accountId: number): string {
  return `webhook-secret ${accountId}`;
}

/** A request's content, besides its address. */
export interface RequestContent {
  readonly deliveryId: string;
  readonly at: Date;
  readonly body: string;
  /** Headers that mark a request as a test or replay. */
  readonly marks?: Readonly<Record<string, string>>;
}

/** Header of a test request, which no CRM should treat as real. */
export const TEST_MARK = { "webhook-test": "true" };

export type Keys = Pick<Base, "seal"> &
  HasAddressKeys & {
    readonly settings: Pick<Base["settings"], "webhookContentType">;
  };

/** Unsealed keys of an address. */
interface OpenedKeys {
  readonly crmKey: string | null;
  readonly secret: Buffer;
  readonly previous: Buffer | null;
}

/** Unsealed keys on this node: a queue sends hundreds of requests per second with the same keys. */
export interface HasAddressKeys {
  readonly addressKeys: WeakMap<Address, OpenedKeys>;
}

function openKeys({ seal, addressKeys }: Keys, to: Address): OpenedKeys {
  const known = addressKeys.get(to);
  if (known !== undefined) return known;
  const crmKey = to.crmKey === null ? null : seal.open(to.crmKey, crmKeyContext(to.accountId)).toString();
  const context = webhookSecretContext(to.accountId);
  const previous = to.previousSecret === null ? null : seal.open(to.previousSecret, context);
  const keys = { crmKey, secret: seal.open(to.secret, context), previous };
  addressKeys.set(to, keys);
  return keys;
}

/** The headers of a complete request: content type, the CRM's key, signature. */
export function signedRequest(keys: Keys, to: Address, content: RequestContent): Delivery {
  const { deliveryId, at, marks } = content;
  const body = Buffer.from(content.body);
  const { crmKey, secret, previous } = openKeys(keys, to);
  const signsPrevious = previous !== null && to.previousUntil !== null && to.previousUntil > at;
  const secrets = signsPrevious ? [secret, previous] : [secret];
  const headers = {
    "content-type": keys.settings.webhookContentType,
    "user-agent": "Trunkline",
    ...(crmKey === null ? {} : { authorization: `Bearer ${crmKey}` }),
    ...signatureHeaders(secrets, deliveryId, at, body),
    ...marks,
  };
  return { url: to.url, headers, body };
}
