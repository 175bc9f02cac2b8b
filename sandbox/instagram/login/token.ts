import { randomBytes } from "node:crypto";
import type { Withdrawal } from "../../meta/token-fault.ts";

/** The two logins, each with its own hosts, tokens and permissions. */
export type Login = "facebook" | "instagram";

/** What a call requires; each login has its own name for it. */
export type Need = "basic" | "messages" | "comments" | "metadata";

const scopeNames: Readonly<Record<Login, Readonly<Record<Need, string>>>> = {
  facebook: {
    basic: "instagram_basic",
    messages: "instagram_manage_messages",
    comments: "instagram_manage_comments",
    metadata: "pages_manage_metadata",
  },
  instagram: {
    basic: "instagram_business_basic",
    messages: "instagram_business_manage_messages",
    comments: "instagram_business_manage_comments",
    metadata: "instagram_business_basic",
  },
};

export function scopeName(login: Login, need: Need): string {
  return scopeNames[login][need];
}

/** Every permission of a login that the emulator knows. */
export function allScopes(login: Login): readonly string[] {
  const names = Object.values(scopeNames[login]);
  return [...new Set(login === "facebook" ? [...names, "pages_messaging", "pages_show_list"] : names)];
}

/** A token of a Facebook user, a page, or an Instagram account. */
export interface Token {
  readonly value: string;
  readonly kind: "user" | "page" | "instagram";
  readonly appId: string;
  /** The accounts it gives access to; a user's token may have several. */
  readonly accountIds: readonly string[];
  readonly scopes: readonly string[];
  readonly longLived: boolean;
  readonly issuedAtMs: number;
  /** Undefined: never. */
  expiresAtMs: number | undefined;
  withdrawn: Withdrawal | undefined;
}

export function newTokenValue(kind: Token["kind"]): string {
  const text = randomBytes(90).toString("base64url").replace(/[-_]/g, "Z");
  return `${kind === "instagram" ? "IGAA" : "EAA"}${text}`;
}

export function loginOf({ kind }: Token): Login {
  return kind === "instagram" ? "instagram" : "facebook";
}
