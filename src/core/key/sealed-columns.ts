import { credentialsContext, stateContext, vaultContext } from "../channel/credentials/credentials.ts";
import { proxyContext } from "../channel/proxy/route.ts";
import { answerContext, requestContext } from "../channel/session-requests.ts";
import { crmKeyContext, webhookSecretContext } from "../delivery/request/request.ts";
import { totpContext } from "../operator/second-factor.ts";
import { idTokenContext } from "../operator/sessions.ts";
import { visitContext } from "../sign-in/connect-visit.ts";

/** A column of sealed values. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Columns of the primary key, in order, with their types. */
  readonly key: Readonly<Record<string, string>>;
  /** The context that the value is bound to. Key columns are passed as text. */
  context(key: Readonly<Record<string, string>>): string;
}

const OF_ACCOUNT = { account_id: "bigint", id: "uuid" };
const ENDPOINT_SECRETS = ["secret", "previous_secret"].map((column) => ({
  table: "webhook_endpoints",
  column,
  key: OF_ACCOUNT,
  context: ({ account_id: id }: Readonly<Record<string, string>>) => webhookSecretContext(Number(id)),
}));

/** Every column with sealed values, except `installation` and responses that are kept for a day. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: "channels",
    column: "credentials",
    key: OF_ACCOUNT,
    context: ({ id = "" }) => credentialsContext(id),
  },
  {
    table: "channels",
    column: "proxy",
    key: OF_ACCOUNT,
    context: ({ id = "" }) => proxyContext(id),
  },
  {
    table: "channel_state",
    column: "value",
    key: { account_id: "bigint", channel_id: "uuid", key: "text" },
    context: ({ channel_id: channelId = "", key = "" }) => stateContext(channelId, key),
  },
  {
    table: "channel_vault",
    column: "value",
    key: { account_id: "bigint", channel_id: "uuid", family: "text", id: "text" },
    context: ({ channel_id: channelId = "", family = "", id = "" }) => vaultContext(channelId, family, id),
  },
  {
    table: "webhook_endpoints",
    column: "crm_key",
    key: OF_ACCOUNT,
    context: ({ account_id: id }) => crmKeyContext(Number(id)),
  },
  ...ENDPOINT_SECRETS,
  {
    table: "connect_visits",
    column: "state",
    key: { id: "uuid" },
    context: ({ id = "" }) => visitContext(id),
  },
  {
    table: "session_requests",
    column: "request",
    key: OF_ACCOUNT,
    context: ({ id = "" }) => requestContext(id),
  },
  {
    table: "session_requests",
    column: "answer",
    key: OF_ACCOUNT,
    context: ({ id = "" }) => answerContext(id),
  },
  {
    table: "operator_sessions",
    column: "id_token",
    key: { id: "uuid" },
    context: ({ id = "" }) => idTokenContext(id),
  },
  ...["totp_key", "totp_pending_key"].map((column) => ({
    table: "operators",
    column,
    key: { id: "uuid" },
    context: ({ id = "" }: Readonly<Record<string, string>>) => totpContext(id),
  })),
];
