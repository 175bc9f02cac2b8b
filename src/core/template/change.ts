import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { openCredentials } from "../channel/credentials/credentials.ts";
import { isUnlinked } from "../channel/link/unlinked.ts";
import { type ProxyColumns, routeOf } from "../channel/proxy/route.ts";
import { redactor } from "../channel-log/redact.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import type { AccessOf, TemplateMethods } from "../transport/connector.ts";
import type { TransportDefinition } from "../transport/definition.ts";
import { TransportError } from "../transport/errors.ts";
import { requestOf } from "../transport/registry.ts";
import type { Template, TemplateDraft } from "../transport/template.ts";
import { rememberTemplate } from "./record.ts";
import { getTemplate, type StoredTemplate } from "./templates.ts";

const TIMEOUT_MS = 20_000;

/** Submits a template to the messenger for the business of a channel. */
export async function createTemplate(
  core: Base,
  scope: Scope,
  channelId: string,
  draft: TemplateDraft,
): Promise<StoredTemplate> {
  const business = await businessOf(core, scope, [channelId]);
  if (business === null) throw new AppError("CHANNEL_NOT_FOUND");
  const created = await ask(business, ({ methods, access, signal }) => methods.create(access, draft, signal));
  return remember(core, scope, business, created);
}

/** Submits a changed template to the messenger, which moderates it again. */
export async function changeTemplate(
  core: Base,
  scope: Scope,
  templateId: string,
  change: Partial<Pick<Template, "category" | "components">>,
): Promise<StoredTemplate> {
  const template = await getTemplate(core, scope, templateId);
  const business = await businessOf(core, scope, template.channelIds);
  if (business === null) throw new AppError("TEMPLATE_NOT_FOUND");
  const changed = await ask(business, ({ methods, access, signal }) =>
    methods.change(access, template, change, signal),
  );
  return remember(core, scope, business, changed);
}

const REMOVE = sql(
  "template_remove",
  "update templates set deleted_at = now(), updated_at = now() where account_id = $1 and id = $2",
);

/** Deletes a template at the messenger. */
export async function removeTemplate(core: Base, scope: Scope, templateId: string): Promise<void> {
  const template = await getTemplate(core, scope, templateId);
  const business = await businessOf(core, scope, template.channelIds);
  if (business === null) throw new AppError("TEMPLATE_NOT_FOUND");
  await ask(business, ({ methods, access, signal }) => methods.remove(access, template, signal));
  await core.db.query(REMOVE, [scope.accountId, template.id]);
}

/** What is needed to call the messenger for a business, through one of its channels. */
interface Business {
  readonly channelId: string;
  readonly methods: TemplateMethods<AccessOf<TransportDefinition>>;
  readonly access: AccessOf<TransportDefinition>;
}

const CHANNEL = sql(
  "template_channel",
  `select id, transport, credentials, proxy, exit_key from channels
   where account_id = $1 and id = any($2) and deleted_at is null
   order by status <> 'disabled' desc, status_at desc limit 1`,
);

/**
 * Null if none of the channels exists. Throws AppError if its transport has no templates, or it is not linked yet.
 */
async function businessOf(
  core: Base,
  { accountId }: Scope,
  channelIds: readonly string[],
): Promise<Business | null> {
  const [row] = await core.db.query<{ id: string; transport: string; credentials: Buffer } & ProxyColumns>(
    CHANNEL,
    [accountId, channelIds],
  );
  if (row === undefined) return null;
  const transport = core.transports.get(row.transport);
  const methods = transport?.connector.templates;
  if (transport === undefined || methods === undefined) throw new AppError("MESSAGE_TEMPLATE_NOT_SUPPORTED");
  const credentials = openCredentials(core, row.id, row.credentials);
  if (isUnlinked(transport, credentials)) throw new AppError("MESSAGE_CHANNEL_UNAVAILABLE");
  const request = requestOf(transport, {
    redact: redactor(transport, credentials),
    allowNetworks: core.settings.allowNetworks,
    proxy: routeOf(core, row),
  });
  return { channelId: row.id, methods, access: { credentials, settings: transport.settings, request } };
}

async function ask<T>(
  business: Business,
  question: (asking: Business & { readonly signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  try {
    return await question({ ...business, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    if (error.retry !== "never")
      throw new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10, cause: error });
    const details = error.data ?? error.message;
    throw new AppError("TEMPLATE_REFUSED", { data: { details }, cause: error });
  }
}

async function remember(
  core: Base,
  scope: Scope,
  { channelId }: Business,
  template: Template,
): Promise<StoredTemplate> {
  const source = { accountId: scope.accountId, channelId };
  const id = await rememberTemplate(core, source, template);
  // The channel was deleted, or its business is not known yet.
  if (id === null) throw new AppError("CHANNEL_NOT_FOUND");
  return getTemplate(core, scope, id);
}
