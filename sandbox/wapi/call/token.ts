import { randomBytes } from "node:crypto";
import type { Withdrawal } from "../../meta/token-fault.ts";

/** The permissions of the WhatsApp Business Platform. */
export type Scope = "whatsapp_business_messaging" | "whatsapp_business_management" | "business_management";

/** The default permissions of a token. */
export const defaultScopes: readonly Scope[] = [
  "whatsapp_business_management",
  "whatsapp_business_messaging",
];

/** An access token; `wabaIds` undefined: all accounts of the app's business. */
export interface Token {
  readonly value: string;
  readonly appId: string;
  readonly type: "SYSTEM_USER" | "APP";
  readonly scopes: readonly Scope[];
  readonly wabaIds: readonly string[] | undefined;
  readonly issuedAtMs: number;
  /** Undefined: never. */
  expiresAtMs: number | undefined;
  withdrawn: Withdrawal | undefined;
}

/** A token in Meta's format. */
export function newTokenValue(): string {
  return `EAA${randomBytes(90).toString("base64url").replace(/[-_]/g, "Z")}`;
}
