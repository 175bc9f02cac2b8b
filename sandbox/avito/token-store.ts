import { randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";

export const scopes = ["messenger:read", "messenger:write", "user:read"] as const;
export type Scope = (typeof scopes)[number];

/** What a token of any kind grants. */
export interface Grant {
  readonly clientId: string;
  readonly accountId: number;
  readonly scopes: readonly Scope[];
}

/** An access token. */
export interface AccessToken extends Grant {
  readonly value: string;
  readonly untilMs: number;
}

/** A code issued by the consent page. */
export interface Code extends Grant {
  readonly value: string;
  readonly untilMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Avito documents no lifetime of codes; RFC 6749 recommends ten minutes at most. */
const codeLifetimeMs = 10 * 60 * 1000;

export const accessLifetimeSeconds = dayMs / 1000;

/** The issued tokens and codes. */
export class TokenStore {
  readonly #clock: Clock;
  readonly access = new Map<string, AccessToken>();
  readonly refresh = new Map<string, Grant>();
  readonly #codes = new Map<string, Code>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  newAccess(grant: Grant): AccessToken {
    const { clientId, accountId, scopes: granted } = grant;
    const value = randomBytes(16).toString("base64url");
    const token = { clientId, accountId, scopes: granted, value, untilMs: this.#clock.nowMs() + dayMs };
    this.access.set(value, token);
    return token;
  }

  newRefresh({ clientId, accountId, scopes: granted }: Grant): string {
    const value = randomBytes(30).toString("base64url");
    this.refresh.set(value, { clientId, accountId, scopes: granted });
    return value;
  }

  newCode({ clientId, accountId, scopes: granted }: Grant): Code {
    const value = randomBytes(16).toString("base64url");
    const code = {
      clientId,
      accountId,
      scopes: granted,
      value,
      untilMs: this.#clock.nowMs() + codeLifetimeMs,
    };
    this.#codes.set(value, code);
    return code;
  }

  /** A code is valid once; undefined if it is unknown, used, expired or issued to another application. */
  takeCode(value: string, clientId: string): Grant | undefined {
    const code = this.#codes.get(value);
    if (code?.clientId !== clientId) return undefined;
    this.#codes.delete(value);
    return code.untilMs > this.#clock.nowMs() ? code : undefined;
  }

  /** A refresh token is valid once; the response contains the next one. */
  takeRefresh(value: string, clientId: string): Grant | undefined {
    const grant = this.refresh.get(value);
    if (grant?.clientId !== clientId) return undefined;
    this.refresh.delete(value);
    return grant;
  }

  isExpired({ untilMs }: AccessToken): boolean {
    return untilMs <= this.#clock.nowMs();
  }

  /** Expires access tokens at once; refresh tokens stay valid. */
  expire(value: string | undefined): number {
    const concerned = [...this.access.values()].filter((token) => (value ?? token.value) === token.value);
    for (const token of concerned) this.access.set(token.value, { ...token, untilMs: 0 });
    return concerned.length;
  }

  /** The person revokes the application's access, with all its tokens. */
  revoke(accountId: number): void {
    for (const tokens of [this.access, this.refresh, this.#codes]) {
      for (const [value, grant] of tokens) if (grant.accountId === accountId) tokens.delete(value);
    }
  }

  clear(): void {
    for (const tokens of [this.access, this.refresh, this.#codes]) tokens.clear();
  }
}
