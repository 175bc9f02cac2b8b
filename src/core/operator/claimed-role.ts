import type { ProviderSettings, RoleRule } from "../base.ts";
import type { Standing } from "./operators.ts";

type Claims = Readonly<Record<string, unknown>>;

/** What the claims of a person give; null: nothing, so that the person may not sign in. The first rule that fits counts. */
export function claimedStanding(
  claims: Claims,
  { roleClaim, roles }: Pick<ProviderSettings, "roleClaim" | "roles">,
): Standing | null {
  const values = valuesOf(claims, roleClaim);
  const rule = roles.find(({ value }) => values.some((each) => isSameValue(roleClaim, each, value)));
  return rule === undefined ? null : { role: rule.role, accountId: rule.accountId };
}

/** Whether the claims contain that of the roles, and a name. */
export function suffice(claims: Claims, roleClaim: string): boolean {
  const hasName = [claims["preferred_username"], claims[EMAIL]].some((name) => typeof name === "string");
  return hasName && valuesOf(claims, roleClaim).length > 0;
}

const EMAIL = "email";

/**
 * The values of a claim: a text, or a list of texts. The name may contain dots (`https://crm.example/roles`), or be the
 * path to a nested claim (`realm_access.roles`). An e-mail address counts only if the provider has verified it: with
 * some providers people may enter any.
 */
function valuesOf(claims: Claims, name: string): readonly string[] {
  if (name === EMAIL && claims["email_verified"] !== true) return [];
  const value = Object.hasOwn(claims, name) ? claims[name] : nested(claims, name.split("."));
  const all = Array.isArray(value) ? value : [value];
  return all.filter((each) => typeof each === "string");
}

function nested(claims: Claims, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? (value as Claims)[name]
        : undefined,
    claims,
  );
}

function isSameValue(claim: string, given: string, expected: RoleRule["value"]): boolean {
  return claim === EMAIL ? given.toLowerCase() === expected.toLowerCase() : given === expected;
}

const MAX_LOGIN = 80;

/** The name that a person gets in the console: in the characters of a login, not empty, and perhaps used by another. */
export function claimedName(claims: Claims, subject: string): string {
  const names = [claims["preferred_username"], claims[EMAIL], subject];
  for (const name of names) {
    if (typeof name !== "string") continue;
    const login = name
      .trim()
      .toLowerCase()
      .slice(0, MAX_LOGIN)
      .replaceAll(/[^\p{L}\p{N}._@+-]/gu, "_");
    if (login !== "") return login;
  }
  return "_";
}
