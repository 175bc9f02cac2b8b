/** What an application may be allowed to do in an account. */
export const OAUTH_SCOPES = ["transport", "crm"] as const;
export type OauthScope = (typeof OAUTH_SCOPES)[number];

/** Parses names separated by commas or spaces: each once, in our order; null if there is none, or an unknown one. */
export function parseScope(text: string): OauthScope[] | null {
  const names = text.split(/[\s,]+/).filter((name) => name !== "");
  const known = OAUTH_SCOPES.filter((scope) => names.includes(scope));
  return names.length > 0 && names.every((name) => known.some((scope) => scope === name)) ? known : null;
}

export function isWithin(scope: readonly OauthScope[], limit: readonly OauthScope[]): boolean {
  return scope.every((each) => limit.includes(each));
}

/** Whether a token's scope includes this one; null, of a token that an operator issued, includes all. */
export function includesScope(granted: readonly OauthScope[] | null, scope: OauthScope): boolean {
  return granted === null || granted.includes(scope);
}
