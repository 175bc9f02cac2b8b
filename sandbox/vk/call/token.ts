import { randomBytes } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { VkError } from "./vk-error.ts";

/** The rights of community keys, with their bits: https://dev.vk.com/ru/reference/access-rights#community-key */
export const rightBits = { photos: 4, messages: 4096, docs: 131_072, manage: 262_144 } as const;
export type Right = keyof typeof rightBits;
export const allRights = Object.keys(rightBits) as readonly Right[];

/** A key: a community's, or a person's. */
export interface Token {
  readonly value: string;
  readonly groupId: number | undefined;
  readonly userId: number | undefined;
  readonly scopes: readonly string[];
  /** Undefined: never, as for community keys. */
  expiresAtMs: number | undefined;
  revoked: boolean;
}

export function newTokenValue(): string {
  return `vk1.a.${randomBytes(120).toString("base64url")}`;
}

/** Refuses a key that is no longer valid. */
export function checkToken(token: Token | undefined, clock: Clock): Token {
  if (!token || token.revoked) throw new VkError(5, "invalid access_token (4).");
  if (token.expiresAtMs === undefined || token.expiresAtMs > clock.nowMs()) return token;
  throw new VkError(5, "access_token has expired.");
}
