import { randomBytes } from "node:crypto";
import { Agent } from "undici";
import { type Queryable, sql, type Transaction } from "../../../database/database.ts";
import { newId } from "../../../platform/ids.ts";
import { BlockedAddress, unbracketed } from "../../../platform/network/guarded-lookup.ts";
import { createGuardedDispatcher, isAllowedUrl, isHttpUrl } from "../../../platform/network/safe-fetch.ts";
import { audit, withoutSecrets } from "../../audit/audit.ts";
import type { Base } from "../../base.ts";
import { AccountConcurrencyLimit } from "../../concurrency-limit.ts";
import { AppError } from "../../errors.ts";
import { notifyReceivers } from "../../event/publish.ts";
import type { Scope } from "../../scope.ts";
import { deliverNow, dropQueue, forgetFailures } from "../cursor/queues.ts";
import { beginCursors } from "../cursor/waiting.ts";
import { post } from "../request/post.ts";
import {
  ADDRESS_COLUMNS,
  type Address,
  crmKeyContext,
  type HasAddressKeys,
  signedRequest,
  TEST_MARK,
  webhookSecretContext,
} from "../request/request.ts";
import { kindsOfV3, type Subscriptions } from "./kinds.ts";

export interface WebhookSettings {
  readonly webhooksUri: string;
  readonly subscriptions: Subscriptions;
}

export interface WebhookSettingsChange {
  /** "" removes the address. */
  readonly webhooksUri?: string;
  readonly crmKey?: string | null;
  readonly subscriptions?: SubscriptionsChange;
}

/**
 * `templateStatus` has three names in requests, all of which may be given. A client that changes one of them and sends
 * the others as it got them wants the change.
 */
export type SubscriptionsChange = Partial<Omit<Subscriptions, "templateStatus">> & {
  readonly templateStatus?: readonly boolean[];
};

const NOTHING: Subscriptions = {
  messagesAndStatuses: false,
  contactsAndDealsCreation: false,
  channelsUpdates: false,
  templateStatus: false,
  reactions: false,
};
const MAX_URI_LENGTH = 200;
const TEST_TIMEOUT_MS = 30_000;
/** The interface prescribes these texts besides the error's code and description. */
const TEST_REFUSED = "Webhooks request not valid. Response status must be 200.";

const FIND = sql(
  "webhook_settings_find",
  `select ${ADDRESS_COLUMNS}, e.settings -> 'subscriptions' as subscriptions,
     e.settings ->> 'crmKeyOrigin' as crm_key_origin
   from webhook_endpoints e where e.account_id = $1 and e.version = 'v3'`,
);
interface Row extends Address {
  readonly subscriptions: Subscriptions;
  /** Origin that the CRM's key was given for; null if there never was an address. */
  readonly crm_key_origin: string | null;
}

/** Current settings. For an account without a receiver: an empty address and all switches off. */
export async function getWebhookSettings(core: Pick<Base, "db">, scope: Scope): Promise<WebhookSettings> {
  return settingsOf((await core.db.query<Row>(FIND, [scope.accountId]))[0]);
}

function settingsOf(row: Row | undefined): WebhookSettings {
  return row === undefined
    ? { webhooksUri: "", subscriptions: NOTHING }
    : { webhooksUri: row.url, subscriptions: { ...NOTHING, ...row.subscriptions } };
}

/**
 * Changes the given settings and keeps the rest, with or without an address. A new address first gets `{test: true}`,
 * signed like its deliveries, and must respond with 200; otherwise nothing changes. Events queued for the old address
 * go to the new one. The CRM's key belongs to the origin of its address: an address of another origin gets it only if
 * the change repeats it.
 */
export async function changeWebhookSettings(
  core: Base & HasAddressKeys & HasWebhookTurns,
  scope: Scope,
  change: WebhookSettingsChange,
): Promise<void> {
  const { webhooksUri: uri = "" } = change;
  const firstSecret = newWebhookSecret(core, scope);
  if (uri !== "") {
    checkUri(core, uri);
    await testPost(core, await addressToTest(core, scope, { uri, crmKey: change.crmKey, firstSecret }));
  }
  await changeInTurn(core, scope, (tx) => saveChange(core, tx, { scope, change, firstSecret }));
  notifyReceivers(core, [scope.accountId]);
}

/** Throws `uriNotValid`, with the reason, for addresses that no receiver can have. */
export function checkUri({ settings }: Pick<Base, "settings">, uri: string): void {
  if (uri.length > MAX_URI_LENGTH) throw uriNotValid(`It has more than ${MAX_URI_LENGTH} characters`);
  if (!isHttpUrl(uri))
    throw uriNotValid("It must be an http or https address without user name and password");
  if (!isAllowedUrl(uri, settings.allowNetworks))
    throw uriNotValid(new BlockedAddress(unbracketed(new URL(uri).hostname)).message);
}

/** An address that no receiver can have, with the reason for the client. */
export function uriNotValid(reason: string): AppError {
  return new AppError("uriNotValid", { data: { reason } });
}

/** The receiver as it will be after the change. */
async function addressToTest(
  core: Base,
  scope: Scope,
  { uri, crmKey, firstSecret }: { uri: string; crmKey: string | null | undefined; firstSecret: Buffer },
): Promise<Address> {
  const [row] = await core.db.query<Row>(FIND, [scope.accountId]);
  const stored =
    row === undefined
      ? {
          ...scope,
          endpointId: "",
          crmKey: null,
          secret: firstSecret,
          previousSecret: null,
          previousUntil: null,
        }
      : row;
  return { ...stored, url: uri, crmKey: nextCrmKey(core, scope, { row, uri, crmKey }).sealed };
}

interface CrmKey {
  readonly sealed: Buffer | null;
  /** Origin that the key may be sent to; null: the origin of the first address. */
  readonly origin: string | null;
}

/** The key after a change to `uri`: a new one, the stored one if the origin is the same, or none. */
function nextCrmKey(
  core: Pick<Base, "seal">,
  scope: Scope,
  { row, uri, crmKey }: { row: Row | undefined; uri: string; crmKey: string | null | undefined },
): CrmKey {
  const origin = originOf(uri);
  if (crmKey !== undefined) return { sealed: sealedCrmKey(core, scope, crmKey), origin };
  const bound = row === undefined ? null : (row.crm_key_origin ?? originOf(row.url));
  if (bound !== null && origin !== null && bound !== origin) return { sealed: null, origin: null };
  return { sealed: row?.crmKey ?? null, origin: bound ?? origin };
}

/** Null for an empty address. */
function originOf(uri: string): string | null {
  return uri === "" ? null : new URL(uri).origin;
}

function sealedCrmKey(
  { seal }: Pick<Base, "seal">,
  { accountId }: Scope,
  crmKey: string | null,
): Buffer | null {
  return crmKey === null ? null : seal.seal(crmKey, crmKeyContext(accountId));
}

async function testPost(core: Base & HasAddressKeys, to: Address): Promise<void> {
  const dispatcher = createGuardedDispatcher({ allowNetworks: core.settings.allowNetworks });
  const content = {
    deliveryId: `msg_${newId()}`,
    at: core.clock.now(),
    body: '{"test":true}',
    marks: TEST_MARK,
  };
  const answer = await post(signedRequest(core, to, content), { dispatcher, timeoutMs: TEST_TIMEOUT_MS });
  if (dispatcher instanceof Agent) await dispatcher.close();
  if (answer.status === 200) return;
  const reason = answer.failure === null ? {} : { reason: answer.failure };
  throw new AppError("testPostNotPassed", {
    data: { statusCode: answer.status, ...reason, message: TEST_REFUSED },
  });
}

/** Serialises changes of one account's settings: the kinds for v3 depend on the subscriptions of v2. */
export async function lockSettings(tx: Queryable, { accountId }: Scope): Promise<void> {
  await tx.query("select 1 from accounts where id = $1 for no key update", [accountId]);
}

const TURNS = {
  maxConcurrent: 1,
  // The default limit of requests a minute, which may arrive at once.
  maxWaiting: 1_000,
  refusal: "Too many changes of the account's webhooks are waiting; repeat the request later",
};

/** Changes of webhooks, on this node. */
export interface HasWebhookTurns {
  readonly webhookTurns: AccountConcurrencyLimit;
}

export function createWebhookTurns(): AccountConcurrencyLimit {
  return new AccountConcurrencyLimit(TURNS);
}

/**
 * Runs a change of an account's webhooks in a transaction with `lockSettings`. Changes of one account on this node take
 * turns without a connection to the database: if each waited for the lock on a connection, one account could use up all.
 */
export function changeInTurn<T>(
  { db, webhookTurns }: Pick<Base, "db"> & HasWebhookTurns,
  scope: Scope,
  change: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return webhookTurns.run(scope.accountId, () =>
    db.tx(async (tx) => {
      await lockSettings(tx, scope);
      return change(tx);
    }),
  );
}

/** Events with a subscription of their own in the account. */
async function subscribedEvents(tx: Queryable, { accountId }: Scope): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ event: string }>(
    "select distinct event from webhook_subscriptions where account_id = $1",
    [accountId],
  );
  return new Set(rows.map(({ event }) => event));
}

const SAVE = sql(
  "webhook_settings_save",
  `insert into webhook_endpoints (account_id, id, version, url, kinds, settings, crm_key, secret)
   values ($1, $2, 'v3', $3, $4, jsonb_build_object('subscriptions', $5::jsonb, 'crmKeyOrigin', $8::text), $6, $7)
   on conflict (account_id) where version = 'v3'
   do update set url = excluded.url, kinds = excluded.kinds, settings = webhook_endpoints.settings || excluded.settings,
     crm_key = excluded.crm_key
   returning id`,
);

async function saveChange(
  core: Base,
  tx: Queryable,
  { scope, change, firstSecret }: { scope: Scope; change: WebhookSettingsChange; firstSecret: Buffer },
): Promise<void> {
  const { accountId } = scope;
  const [stored] = await tx.query<Row>(FIND, [accountId]);
  const current = settingsOf(stored);
  const uri = change.webhooksUri ?? current.webhooksUri;
  const subscriptions = changedSubscriptions(current.subscriptions, change.subscriptions);
  const kinds = kindsOfV3(uri, subscriptions, await subscribedEvents(tx, scope));
  const crmKey = nextCrmKey(core, scope, { row: stored, uri, crmKey: change.crmKey });
  const [row] = await tx.query<{ id: string }>(SAVE, [
    accountId,
    newId(),
    uri,
    kinds,
    JSON.stringify(subscriptions),
    crmKey.sealed,
    firstSecret,
    crmKey.origin,
  ]);
  if (row === undefined) return;
  await audit(tx, {
    accountId,
    action: "webhook.settings",
    subject: row.id,
    details: {
      address: withoutSecrets(uri),
      previousAddress: withoutSecrets(current.webhooksUri),
      key: change.crmKey === undefined ? (crmKey.sealed === null ? "none" : "kept") : "given",
      subscriptions,
    },
  });
  if (uri !== current.webhooksUri) await forgetFailures(tx, { accountId, endpointId: row.id });
  if (uri === "") await dropV3Queue(tx, accountId, row.id);
  else await deliverNow(tx, { accountId, endpointId: row.id });
  await beginCursors(tx, scope);
}

function changedSubscriptions(
  current: Subscriptions,
  { templateStatus = [], ...change }: SubscriptionsChange = {},
): Subscriptions {
  const isChanged = templateStatus.some((value) => value !== current.templateStatus);
  return {
    ...current,
    ...change,
    templateStatus: isChanged ? !current.templateStatus : current.templateStatus,
  };
}

/** A new signing secret, sealed. */
export function newWebhookSecret({ seal }: Pick<Base, "seal">, { accountId }: Scope): Buffer {
  return seal.seal(randomBytes(32), webhookSecretContext(accountId));
}

async function dropV3Queue(tx: Queryable, accountId: number, endpointId: string): Promise<void> {
  await forgetAsked(tx, { accountId });
  await dropQueue(tx, { accountId, endpointId });
}

/**
 * Withdraws unanswered requests to the CRM: no receiver is left to answer them, so the next occasion causes new ones.
 */
export async function forgetAsked(tx: Queryable, { accountId }: Scope): Promise<void> {
  await tx.query("delete from client_creations where account_id = $1", [accountId]);
}

const REFRESH = sql(
  "webhook_settings_kinds",
  "update webhook_endpoints set kinds = $2 where account_id = $1 and version = 'v3'",
);

/**
 * Call it after a change of v2 subscriptions, in the same transaction, which holds the lock: v3 gets the events that
 * no subscription takes.
 */
export async function refreshV3Kinds(tx: Queryable, scope: Scope): Promise<void> {
  const { webhooksUri, subscriptions } = settingsOf((await tx.query<Row>(FIND, [scope.accountId]))[0]);
  const kinds = kindsOfV3(webhooksUri, subscriptions, await subscribedEvents(tx, scope));
  await tx.query(REFRESH, [scope.accountId, kinds]);
}
