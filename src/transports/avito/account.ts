import type { GivenAccessOf, Verified } from "../../core/transport/connector.ts";
import { CredentialsError, TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { type Access, type AvitoClient, createClient, oneToken } from "./client.ts";
import type { AvitoDefinition } from "./definition.ts";
import { GrantRefusal, isTokenRefusal, Refusal, toTransportError } from "./errors.ts";
import { type App, appOf, fetchTokens, type Grant } from "./grant.ts";
import type { AvitoCredentials } from "./tokens.ts";
import { readSelf } from "./update.ts";

type GivenAccess = GivenAccessOf<AvitoDefinition>;

/** `GET /core/v1/accounts/self` */
export async function fetchProfile(client: AvitoClient, signal: AbortSignal): Promise<ChannelProfile> {
  const { id, name, phone, profile_url } =
    readSelf(await client.call("GET", "/core/v1/accounts/self", { signal })) ?? {};
  if (id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "Avito's answer cannot be read", { retry: "later" });
  const digits = phone?.replace(/\D/g, "") ?? "";
  return {
    messengerId: id,
    name: name ?? id,
    ...(digits !== "" && { phone: digits }),
    ...(profile_url !== undefined && { url: profile_url }),
  };
}

/** Exchanges a one-time code, or an application's own id and secret, for tokens, and asks whose they are. */
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
      "Give an authorization code, or the client_id and client_secret of an application",
    );
  const app = appOf(own, access);
  if (app !== null) return app;
  throw new CredentialsError(
    "This installation has no Avito application to take the code for: give client_id and client_secret, too",
  );
}

function toVerifyError(error: unknown): unknown {
  if (error instanceof GrantRefusal)
    return new CredentialsError(
      error.code === "invalid_client"
        ? "Avito does not accept the application's id and secret"
        : "Avito does not accept the authorization code: it serves once, and for some minutes",
    );
  if (!(error instanceof Refusal)) return error;
  if (isTokenRefusal(error) || error.status === 403)
    return new CredentialsError("Avito gave no access to the account: the right user:read is missing");
  return toTransportError(error);
}
