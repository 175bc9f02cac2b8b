import type { HttpResponse, TransportRequest } from "../../../core/transport/connector.ts";
import { fields, number, text } from "../../../platform/foreign/foreign-json.ts";
import { textIn } from "../../kit/json.ts";
import { noResponse, unreadable } from "../../kit/no-response.ts";
import { GrantRefusal, Refusal } from "../errors.ts";
import { waitMs } from "../outbound/answer.ts";

/** The grants that Avito accepts for a token (developers.avito.ru, "Авторизация"). */
export type Grant =
  | { readonly grant_type: "authorization_code"; readonly code: string }
  | { readonly grant_type: "refresh_token"; readonly refresh_token: string }
  | { readonly grant_type: "client_credentials" };

export interface App {
  readonly client_id: string;
  readonly client_secret: string;
}

export interface Tokens {
  readonly access_token: string;
  /** ISO 8601. */
  readonly expires_at: string;
  /** Replaces the refresh token used; absent for `client_credentials`. */
  readonly refresh_token?: string;
}

export interface GrantAccess {
  readonly settings: { readonly apiUrl: string; readonly clientId: string; readonly clientSecret: string };
  readonly request: TransportRequest;
}

const TIMEOUT_MS = 30_000;
/** The documented lifetime of an access token, used if the response does not state one. */
const LIFETIME_S = 86_400;

const readTokens = fields({ access_token: text, refresh_token: text, expires_in: number });

/** The channel's own application, or the installation's. Null if there is neither. */
export function appOf(own: Partial<App>, { settings }: Pick<GrantAccess, "settings">): App | null {
  if (own.client_id !== undefined && own.client_secret !== undefined)
    return { client_id: own.client_id, client_secret: own.client_secret };
  const { clientId, clientSecret } = settings;
  return clientId === "" || clientSecret === "" ? null : { client_id: clientId, client_secret: clientSecret };
}

/**
 * `POST /token`. Pass no signal with a refresh token: if the response is not read, the next refresh token is lost.
 * Throws `GrantRefusal` if Avito refuses, `Refusal` if it rate-limits the call, `TransportError` if there is no
 * response.
 */
export async function fetchTokens(
  { settings, request }: GrantAccess,
  app: App,
  grant: Grant,
  signal?: AbortSignal,
): Promise<Tokens> {
  const answer = await request({
    method: "POST",
    url: `${settings.apiUrl.replace(/\/+$/, "")}/token`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...grant, ...app }).toString(),
    timeoutMs: TIMEOUT_MS,
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    throw noResponse(error, "Avito", true);
  });
  return readGrant(answer);
}

/** Avito sends some refusals with status 200, so success depends on the token being present. */
async function readGrant(answer: HttpResponse): Promise<Tokens> {
  const body: unknown = await answer.json().catch(() => undefined);
  const { access_token, refresh_token, expires_in = LIFETIME_S } = readTokens(body) ?? {};
  if (answer.status === 200 && access_token !== undefined) {
    const lifetimeMs = Math.min(Math.max(expires_in, 60), 365 * LIFETIME_S) * 1000;
    const expires_at = new Date(Date.now() + lifetimeMs).toISOString();
    return { access_token, expires_at, ...(refresh_token !== undefined && { refresh_token }) };
  }
  if (answer.status === 429) throw new Refusal(429, "Too many requests", { retryAfterMs: waitMs(answer) });
  const code = textIn(body, "error");
  if (answer.status < 500 && code !== undefined)
    throw new GrantRefusal(code, textIn(body, "error_description") ?? "");
  throw unreadable(answer.status, "Avito", true);
}
