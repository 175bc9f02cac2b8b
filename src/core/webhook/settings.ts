import { randomBytes } from "node:crypto";
import { Agent, request } from "undici";
import { type Queryable, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import { BlockedAddress, createGuardedDispatcher, isAllowedUrl } from "../../platform/safe-fetch.ts";
import type { Core, Scope } from "../core.ts";
import { AppError } from "../errors.ts";

export interface Subscriptions {
  readonly messagesAndStatuses: boolean;
  readonly contactsAndDealsCreation: boolean;
  readonly channelsUpdates: boolean;
  readonly templateStatus: boolean;
}

export interface WebhookSettings {
  readonly webhooksUri: string;
  readonly subscriptions: Subscriptions;
}

export interface WebhookSettingsChange {
  /** "" removes the address. */
  readonly webhooksUri?: string;
  readonly crmKey?: string | null;
  readonly subscriptions?: Partial<Subscriptions>;
}

/** Which events each switch stands for. v2 events without a subscription of their own come to the v3 address. */
const KINDS: Readonly<Record<keyof Subscriptions, readonly string[]>> = {
  messagesAndStatuses: ["messages", "statuses"],
  contactsAndDealsCreation: ["createContact", "createDeal"],
  channelsUpdates: ["channelsUpdates", "channel.status_update", "channel.qr_update"],
  templateStatus: ["templateStatus"],
};
const NOTHING: Subscriptions = {
  messagesAndStatuses: false,
  contactsAndDealsCreation: false,
  channelsUpdates: false,
  templateStatus: false,
};
const MAX_URI_LENGTH = 200;
const TEST_TIMEOUT_MS = 30_000;

const FIND = sql(
  "webhook_settings_find",
  "select url, settings -> 'subscriptions' as subscriptions from webhook_endpoints where account_id = $1 and version = 'v3'",
);
interface Row {
  readonly url: string;
  readonly subscriptions: Subscriptions;
}

/** Current settings; an account without a receiver has an empty address and everything off. */
export async function getWebhookSettings(core: Core, scope: Scope): Promise<WebhookSettings> {
  const [row] = await core.db.query<Row>(FIND, [scope.accountId]);
  return row === undefined
    ? { webhooksUri: "", subscriptions: NOTHING }
    : { webhooksUri: row.url, subscriptions: { ...NOTHING, ...row.subscriptions } };
}

/**
 * Changes what is given and keeps the rest, with or without an address. A new address first gets `{test: true}` and
 * must answer 200; when it does not, nothing changes. What is queued for the old address goes to the new one.
 */
export async function changeWebhookSettings(
  core: Core,
  scope: Scope,
  change: WebhookSettingsChange,
): Promise<void> {
  const current = await getWebhookSettings(core, scope);
  const uri = change.webhooksUri ?? current.webhooksUri;
  const subscriptions = { ...current.subscriptions, ...change.subscriptions };
  const crmKey = change.crmKey === undefined ? await currentCrmKey(core, scope) : change.crmKey;
  if (uri !== "" && change.webhooksUri !== undefined) {
    checkUri(core, uri);
    await testPost(core, uri, crmKey);
  }
  await saveEndpoint(core, scope, { uri, crmKey, subscriptions });
  core.wakes.wake("webhooks");
}

function checkUri(core: Core, uri: string): void {
  if (uri.length > MAX_URI_LENGTH || !isAllowedUrl(uri, core.settings.allowNetworks))
    throw new AppError("uriNotValid");
}

const CRM_KEY = sql(
  "webhook_crm_key",
  "select crm_key from webhook_endpoints where account_id = $1 and version = 'v3'",
);

async function currentCrmKey(core: Core, scope: Scope): Promise<string | null> {
  const [row] = await core.db.query<{ crm_key: Buffer | null }>(CRM_KEY, [scope.accountId]);
  return row?.crm_key == null ? null : core.seal.open(row.crm_key, crmKeyContext(scope.accountId)).toString();
}

export function crmKeyContext(accountId: number): string {
  return `crm-key ${accountId}`;
}

export function webhookSecretContext(accountId: number): string {
  return `webhook-secret ${accountId}`;
}

async function testPost(core: Core, uri: string, crmKey: string | null): Promise<void> {
  const dispatcher = createGuardedDispatcher({ allowNetworks: core.settings.allowNetworks });
  try {
    const answer = await request(uri, {
      method: "POST",
      dispatcher,
      headers: {
        "content-type": core.settings.webhookContentType,
        ...(crmKey === null ? {} : { authorization: `Bearer ${crmKey}` }),
      },
      body: '{"test":true}',
      headersTimeout: TEST_TIMEOUT_MS,
      signal: AbortSignal.timeout(TEST_TIMEOUT_MS),
    });
    await answer.body.dump();
    if (answer.statusCode !== 200)
      throw new AppError("testPostNotPassed", { data: { statusCode: answer.statusCode } });
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof BlockedAddress) throw new AppError("uriNotValid", { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError("testPostNotPassed", { data: { statusCode: null, reason }, cause: error });
  } finally {
    if (dispatcher instanceof Agent) await dispatcher.close();
  }
}

const SAVE = sql(
  "webhook_settings_save",
  `insert into webhook_endpoints (account_id, id, version, url, kinds, settings, crm_key, secret)
   values ($1, $2, 'v3', $3, $4, jsonb_build_object('subscriptions', $5::jsonb), $6, $7)
   on conflict (account_id) where version = 'v3'
   do update set url = excluded.url, kinds = excluded.kinds, crm_key = excluded.crm_key,
     settings = webhook_endpoints.settings || excluded.settings
   returning id`,
);
/** Whoever repairs the receiver or moves it should not wait for the next repetition. */
const DELIVER_NOW = sql(
  "webhook_lanes_now",
  "update webhook_lanes set due = now() where endpoint_id = $1 and due <> 'infinity'",
);

async function saveEndpoint(
  core: Core,
  { accountId }: Scope,
  endpoint: { uri: string; crmKey: string | null; subscriptions: Subscriptions },
): Promise<void> {
  const { uri, subscriptions } = endpoint;
  const crmKey = endpoint.crmKey === null ? null : core.seal.seal(endpoint.crmKey, crmKeyContext(accountId));
  const secret = core.seal.seal(randomBytes(32), webhookSecretContext(accountId));
  await core.db.tx(async (tx) => {
    const kinds = uri === "" ? [] : kindsOf(subscriptions);
    const values = [accountId, newId(), uri, kinds, JSON.stringify(subscriptions), crmKey, secret];
    const [row] = await tx.query<{ id: string }>(SAVE, values);
    if (row !== undefined)
      await (uri === "" ? dropQueue(tx, accountId, row.id) : tx.query(DELIVER_NOW, [row.id]));
  });
}

/** Nobody is left to deliver to; the events themselves stay for a later replay. New clients are asked for anew. */
async function dropQueue(tx: Queryable, accountId: number, endpointId: string): Promise<void> {
  await tx.query("delete from webhook_lanes where endpoint_id = $1", [endpointId]);
  await tx.query("delete from client_creations where account_id = $1", [accountId]);
  await tx.query("delete from webhook_queue where account_id = $1 and endpoint_id = $2", [
    accountId,
    endpointId,
  ]);
}

function kindsOf(subscriptions: Subscriptions): string[] {
  return SWITCHES.filter((name) => subscriptions[name]).flatMap((name) => KINDS[name]);
}

const SWITCHES = Object.keys(KINDS) as (keyof Subscriptions)[];
