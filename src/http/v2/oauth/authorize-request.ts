import { type OauthScope, parseScope } from "../../../core/account/oauth-scope.ts";
import type { Core } from "../../../core/core.ts";
import { findClient, type OauthClient } from "../../../core/oauth/clients.ts";

/** An application's request for authorisation. */
export interface AuthorizeRequest {
  readonly client: OauthClient & { readonly partnerName: string };
  readonly redirectUri: string;
  readonly scope: readonly OauthScope[];
  /** Returned unchanged. */
  readonly state: string;
  /** SHA-256 of the verifier. */
  readonly challenge: Buffer;
}

/**
 * A request; or an error for the application, at an address that is certainly its own; or, if that is not certain, an
 * error for the person: the browser is not redirected to an unregistered address.
 */
export type Reading =
  | { readonly kind: "request"; readonly request: AuthorizeRequest }
  | {
      readonly kind: "refusal";
      readonly redirectUri: string;
      readonly answer: Readonly<Record<string, string>>;
    }
  | { readonly kind: "problem"; readonly problem: string };

const CHALLENGE = /^[\w-]{43}$/;
const MAX_STATE = 2_000;

export async function readAuthorizeRequest(core: Core, query: URLSearchParams): Promise<Reading> {
  const client = await findClient(core.db, only(query, "client_id") ?? "");
  if (client === null) return { kind: "problem", problem: "There is no application with this client_id." };
  const redirectUri = only(query, "redirect_uri");
  if (redirectUri === null || !client.redirectUris.includes(redirectUri))
    return { kind: "problem", problem: "The redirect_uri is not one that the application has registered." };
  const read = readParameters(query);
  if ("request" in read) return { kind: "request", request: { client, redirectUri, ...read.request } };
  const state = only(query, "state");
  const answer = { error: read.error, error_description: read.description };
  return { kind: "refusal", redirectUri, answer: state === null ? answer : { ...answer, state } };
}

type Parameters = Pick<AuthorizeRequest, "scope" | "state" | "challenge">;

/** Errors as defined in RFC 6749, 4.1.2.1, and RFC 7636, 4.4.1. */
function readParameters(
  query: URLSearchParams,
): { readonly request: Parameters } | { readonly error: string; readonly description: string } {
  const invalid = (description: string) => ({ error: "invalid_request", description });
  const twice = [...new Set(query.keys())].find((name) => query.getAll(name).length > 1);
  if (twice !== undefined) return invalid(`${twice} occurs more than once`);
  const responseType = query.get("response_type");
  if (responseType === null) return invalid("response_type is missing");
  if (responseType !== "code")
    return { error: "unsupported_response_type", description: "response_type must be code" };
  const scope = parseScope(query.get("scope") ?? "");
  if (scope === null)
    return { error: "invalid_scope", description: "scope must name transport, crm, or both" };
  const state = query.get("state") ?? "";
  if (state === "" || state.length > MAX_STATE) return invalid("state must have 1 to 2000 characters");
  if (query.get("code_challenge_method") !== "S256") return invalid("code_challenge_method must be S256");
  const challenge = query.get("code_challenge") ?? "";
  if (!CHALLENGE.test(challenge)) return invalid("code_challenge must be a SHA-256 in base64url");
  return { request: { scope, state, challenge: Buffer.from(challenge, "base64url") } };
}

/** The value of a parameter that occurs exactly once. */
function only(query: URLSearchParams, name: string): string | null {
  const [value, ...more] = query.getAll(name);
  return value === undefined || more.length > 0 ? null : value;
}
