import type * as OpenId from "openid-client";
import { type Dispatcher, fetch } from "undici";
import { messageOf } from "../message-of.ts";
import { BlockedAddress } from "./guarded-lookup.ts";
import type { AllowNetworks } from "./networks.ts";
import { createGuardedDispatcher } from "./safe-fetch.ts";

/** A provider of OpenID Connect, and how we are registered there. */
export interface ProviderOptions {
  /** As in the `issuer` of its metadata. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client, which proves itself by PKCE alone. */
  readonly clientSecret: string | null;
  /** Separated by spaces. */
  readonly scopes: string;
}

/** What binds an authorization to the browser that asked for it. */
export interface Authorization {
  /** Where the provider sends the browser back, without query. */
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE: 43 to 128 characters. */
  readonly verifier: string;
}

/** A person whom the provider has authenticated. */
export interface ProviderPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** As it was issued: the hint for the sign-out. */
  readonly idToken: string;
}

/** The provider cannot be reached, or does not work. The message says why, for an operator. */
export class ProviderAway extends Error {
  override readonly name = "ProviderAway";
}

/** The provider has answered, and nobody is signed in. The message says why, for an operator. */
export class ProviderRefusal extends Error {
  override readonly name = "ProviderRefusal";
  /** The code of OAuth, such as `access_denied`; "" if the answer itself is not acceptable. */
  readonly code: string;
  constructor(message: string, options: { readonly code: string; readonly cause: unknown }) {
    super(message, { cause: options.cause });
    this.code = options.code;
  }
}

/** All methods throw `ProviderAway`. */
export interface OpenIdProvider {
  /** Host of the issuer. */
  readonly host: string;
  /** The address at the provider for the browser. */
  authorizationUrl(authorization: Authorization): Promise<string>;
  /**
   * Exchanges the code of the provider's redirect and checks the ID token: signature, issuer, audience, nonce and times.
   * If the claims of the token do not suffice, the provider is asked for more. Throws `ProviderRefusal`.
   */
  exchange(
    authorization: Authorization,
    query: URLSearchParams,
    suffices: (claims: ProviderPerson["claims"]) => boolean,
  ): Promise<ProviderPerson>;
  /** The address at which the browser ends its session at the provider; null: the provider has none. */
  endSessionUrl(after: {
    readonly returnTo: string;
    readonly idToken: string | null;
  }): Promise<string | null>;
  /** What the provider says of itself, asked now. */
  metadata(): Promise<ProviderMetadata>;
}

export interface ProviderMetadata {
  readonly issuer: string;
  readonly offersSignOut: boolean;
}

const TIMEOUT_SECONDS = 10;
const CLOCK_TOLERANCE_SECONDS = 60;
const METADATA_FRESH_MS = 10 * 60_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_REASON = 300;

interface Found {
  readonly at: number;
  readonly server: OpenId.ServerMetadata;
}

/**
 * Nothing is requested before the first sign-in, so a provider that is away does not delay a start. Addresses outside
 * the public internet are reached only if `allowNetworks` names them.
 */
export function createOpenIdProvider(options: ProviderOptions, allowNetworks: AllowNetworks): OpenIdProvider {
  const issuer = new URL(options.issuer);
  const dispatcher = createGuardedDispatcher({
    allowNetworks,
    agent: { maxResponseSize: MAX_RESPONSE_BYTES },
  });
  const request = guardedFetch(dispatcher);
  let found: Found | undefined;
  let asking: Promise<Found> | undefined;

  const discover = async (): Promise<Found> => {
    const { discovery, customFetch } = await library();
    const insecure = await executed(issuer);
    const config = await discovery(issuer, options.clientId, undefined, undefined, {
      [customFetch]: request,
      timeout: TIMEOUT_SECONDS,
      execute: insecure,
    }).catch(away);
    const server = config.serverMetadata();
    // The library lets Microsoft's shared issuers pass, at which anybody's tenant may assign roles.
    if (new URL(server.issuer).href !== issuer.href)
      throw new ProviderAway(`its issuer is ${server.issuer}, not ${options.issuer}`);
    return { at: performance.now(), server };
  };
  /** One request at a time, whoever asks: anybody may begin sign-ins, also while the provider does not answer. */
  const serverNow = async (): Promise<OpenId.ServerMetadata> => {
    if (found === undefined || performance.now() - found.at > METADATA_FRESH_MS) {
      asking ??= discover().finally(() => {
        asking = undefined;
      });
      found = await asking;
    }
    return found.server;
  };
  /** A new one for each use: the library caches the provider's keys in it, which may have been exchanged since. */
  const configure = async (): Promise<OpenId.Configuration> => {
    const openId = await library();
    const server = await serverNow();
    const config = new openId.Configuration(
      server,
      options.clientId,
      { [openId.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      authenticationOf(openId, server, options.clientSecret),
    );
    config[openId.customFetch] = request;
    config.timeout = TIMEOUT_SECONDS;
    openId.enableNonRepudiationChecks(config);
    for (const apply of await executed(issuer)) apply(config);
    return config;
  };

  return {
    host: issuer.host,
    async authorizationUrl({ redirectUri, state, nonce, verifier }) {
      const openId = await library();
      const parameters = {
        redirect_uri: redirectUri,
        scope: options.scopes,
        state,
        nonce,
        code_challenge: await openId.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      return openId.buildAuthorizationUrl(await configure(), parameters).href;
    },
    async exchange({ redirectUri, state, nonce, verifier }, query, suffices) {
      const openId = await library();
      const config = await configure();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const tokens = await openId
        .authorizationCodeGrant(config, new URL(`?${query}`, redirectUri), checks)
        .catch((error: unknown) => fail(openId, error));
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined)
        throw new ProviderRefusal("it gave no ID token", { code: "", cause: undefined });
      const more =
        !suffices(claims) && config.serverMetadata().userinfo_endpoint !== undefined
          ? await openId
              .fetchUserInfo(config, tokens.access_token, claims.sub)
              .catch((error: unknown) => fail(openId, error))
          : {};
      return {
        issuer: claims.iss,
        subject: claims.sub,
        claims: { ...more, ...claims },
        idToken: tokens.id_token,
      };
    },
    async endSessionUrl({ returnTo, idToken }) {
      const openId = await library();
      const config = await configure();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      return openId.buildEndSessionUrl(config, {
        post_logout_redirect_uri: returnTo,
        ...(idToken === null ? {} : { id_token_hint: idToken }),
      }).href;
    },
    async metadata() {
      const { server } = await discover();
      return { issuer: server.issuer, offersSignOut: server.end_session_endpoint !== undefined };
    },
  };
}

/** Loaded at the first sign-in: most nodes never need it. */
function library(): Promise<typeof OpenId> {
  return import("openid-client");
}

/** The settings allow plain http on this machine only. */
async function executed({ protocol }: URL): Promise<((config: OpenId.Configuration) => void)[]> {
  return protocol === "http:" ? [(await library()).allowInsecureRequests] : [];
}

/** By the provider's choice; a provider that does not say takes `client_secret_basic` (Discovery 1.0, section 3). */
function authenticationOf(
  openId: typeof OpenId,
  { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] }: OpenId.ServerMetadata,
  secret: string | null,
): OpenId.ClientAuth {
  if (secret === null) return openId.None();
  return methods.includes("client_secret_post")
    ? openId.ClientSecretPost(secret)
    : openId.ClientSecretBasic(secret);
}

function guardedFetch(dispatcher: Dispatcher): OpenId.CustomFetch {
  return async (url, { body, headers, method, redirect, signal }) => {
    const response = await fetch(url, {
      method,
      headers,
      redirect,
      dispatcher,
      body: (body ?? null) as string | null,
      ...(signal === undefined ? {} : { signal }),
    });
    // The same class in another declaration.
    return response as unknown as Response;
  };
}

function away(error: unknown): never {
  throw new ProviderAway(reasonOf(error), { cause: error });
}

/** What the provider has decided is a refusal; all else means that it does not work. */
function fail(openId: typeof OpenId, error: unknown): never {
  if (error instanceof openId.AuthorizationResponseError || error instanceof openId.ResponseBodyError) {
    const isBroken = error instanceof openId.ResponseBodyError && error.status >= 500;
    if (isBroken) away(error);
    const { error: code, error_description: description } = error;
    const reason = description === undefined ? code : `${code}: ${description}`;
    throw new ProviderRefusal(reason.slice(0, MAX_REASON), { code, cause: error });
  }
  if (NOT_ACCEPTABLE.has((error as { readonly code?: string }).code ?? ""))
    throw new ProviderRefusal(`its answer is not acceptable: ${reasonOf(error)}`, { code: "", cause: error });
  return away(error);
}

/** Codes of the library: the answer itself is wrong, so a repetition would be too. */
const NOT_ACCEPTABLE: ReadonlySet<string> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION",
]);

/** The innermost cause says most. */
function reasonOf(error: unknown): string {
  let text = messageOf(error);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    text = messageOf(cause);
    if (cause instanceof BlockedAddress) break;
  }
  return text.slice(0, MAX_REASON);
}
