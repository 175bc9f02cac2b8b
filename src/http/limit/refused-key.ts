import type { TokenKind } from "../../core/account/tokens.ts";

/** Names that documentation and programs give to a key that is to be filled in. */
const PLACEHOLDER = /[<>{}$…*]|\.{3}|^x+$|your|api_?key|token$/i;
/** The form of the service's own keys, in which such a word is chance. */
const KEY = /^tl_[a-z]{2}_(?:[a-z][a-z0-9]{0,7}\.)?[\w-]{43}$/;
const NEEDED: Readonly<Record<TokenKind, string>> = {
  access: "An access token is valid for /v2 only; this route requires an API key",
  agent: "An agent token is valid for /v2 only; this route requires an API key",
  api: "An API key is valid for /v3 only; this route requires an access token",
  sidecar: "A sidecar API key is valid for /v3 only; this route requires an access token",
};

/**
 * What is wrong with the `Authorization` header of a request, in words. `kind`: of the valid key in it, if it is one of
 * another interface. Says nothing that the caller does not know: whether a key once existed stays open.
 */
export function reasonOfRefusal(header: string | undefined, kind: TokenKind | undefined): string {
  if (kind !== undefined) return NEEDED[kind];
  const value = header?.trim() ?? "";
  if (value === "") return "The Authorization header is missing";
  const [scheme = "", ...rest] = value.split(/ +/);
  if (scheme.toLowerCase() !== "bearer")
    return 'The Authorization header must have the form "Bearer", a space, and the key';
  if (rest.length !== 1) return 'The Authorization header must contain exactly one key after "Bearer"';
  const [key = ""] = rest;
  if (!KEY.test(key) && PLACEHOLDER.test(key))
    return "The Authorization header contains a placeholder instead of a key";
  return "The key is unknown, expired or revoked";
}
