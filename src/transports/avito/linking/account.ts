import type { GivenAccessOf, Verified } from "../../../core/transport/connector.ts";
import { CredentialsError, TransportError } from "../../../core/transport/errors.ts";
import type { ChannelProfile } from "../../../core/transport/events.ts";
import { type Access, type AvitoClient, createClient, oneToken } from "../client.ts";
import type { AvitoDefinition } from "../definition.ts";
import { GrantRefusal, isTokenRefusal, Refusal, toTransportError } from "../errors.ts";
import { readSelf } from "../inbound/update.ts";
import { type App, appOf, fetchTokens, type Grant } from "./grant.ts";
import type { AvitoCredentials } from "./tokens.ts";

type GivenAccess = GivenAccessOf<AvitoDefinition>;

/** `GET /core/v1/accounts/self` */
export async function fetchProfile(client: AvitoClient, signal: AbortSignal): Promise<ChannelProfile> {
  const { id, name, phone, profile_url } =
    readSelf(await client.call("GET", "/core/v1/accounts/self", { signal })) ?? {};
  if (id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "Avito returned an unreadable response", { retry: "later" });
  const digits = phone?.replace(/\D/g, "") ?? "";
  return {
    messengerId: id,
    name: name ?? id,
    ...(digits !== "" && { phone: digits }),
    ...(profile_url !== undefined && { url: profile_url }),
  };
}

/**
 * Exchanges a one-time authorization code, or an application's client id and secret, for tokens, and fetches the
 * profile of their account.
 */
export async function verify(access: GivenAccess, signal: AbortSignal): Promise<Verified<AvitoCredentials>> {
  const { code, ...own } = access.credentials;
  try {
    const app = needApp(own, access, code);
    const grant: Grant =
      code === undefined ? { grant_type: "client_credentials" } : { grant_type: "authorization_code", code };
    const tokens = await fetchTokens(access, app, grant, signal);
    const profile = await fetchProfile(
      createClient(access satisfies Access, oneToken(tokens.access_token)),
      signal,
    );
    return { profile, credentials: { ...own, ...tokens, user_id: profile.messengerId } };
  } catch (error) {
    throw toVerifyError(error);
  }
}

function needApp(own: Partial<App>, access: GivenAccess, code: string | undefined): App {
  const isOwn = own.client_id !== undefined && own.client_secret !== undefined;
  if (code === undefined && !isOwn)
    throw new CredentialsError(
      "Provide an authorization code, or the client_id and client_secret of an application",
    );
  const app = appOf(own, access);
  if (app !== null) return app;
  throw new CredentialsError(
    "This installation has no Avito application for the code: also provide client_id and client_secret",
  );
}

function toVerifyError(error: unknown): unknown {
  if (error instanceof GrantRefusal)
    return new CredentialsError(
      error.code === "invalid_client"
        ? "Avito rejected the application's client id and secret"
        : "Avito rejected the authorization code: it can be used once and expires after a few minutes",
    );
  if (!(error instanceof Refusal)) return error;
  if (isTokenRefusal(error) || error.status === 403)
    return new CredentialsError("Avito denied access to the account: the scope user:read is missing");
  return toTransportError(error);
}
