import type { LinkOf } from "../../../core/transport/connector.ts";
import type { CredentialsOf } from "../../../core/transport/definition.ts";
import { backOffMs } from "../../../platform/queue/back-off.ts";
import { type BackOffTiming, pause } from "../../kit/retry-loop.ts";
import type { AvitoDefinition } from "../definition.ts";
import { GrantRefusal } from "../errors.ts";
import { appOf, fetchTokens, type Grant } from "./grant.ts";

export type AvitoLink = LinkOf<AvitoDefinition>;
export type AvitoCredentials = CredentialsOf<AvitoDefinition>;

/** An access token is usually valid for a day; it is renewed when this or half of its life is left. */
const MARGIN_MS = 3_600_000;

/** The access token of a channel. It is renewed before it expires, by one call at a time. */
export interface AccessTokens {
  /** Throws like `fetchTokens`. */
  current(): Promise<string>;
  /** Renews the token that Avito rejected, unless it has been renewed since; returns the current one. */
  replace(refused: string): Promise<string>;
  /** Resolves when no renewal or save is in progress. Never rejects. */
  settled(): Promise<void>;
}

/**
 * A refresh token can be used once, so the next renewal starts only after the last one is stored. A failed save is
 * retried for as long as this node owns the channel; meanwhile calls use the new token.
 */
export function createTokens(link: AvitoLink, pauses: BackOffTiming): AccessTokens {
  let unsaved: AvitoCredentials | null = null;
  let renewal: Promise<void> | null = null;
  let saving: Promise<void> = Promise.resolve();
  let marginMs = MARGIN_MS;
  const known = (): AvitoCredentials => unsaved ?? link.credentials;

  async function save(next: AvitoCredentials): Promise<void> {
    for (let failures = 0; link.mayAct(); ) {
      try {
        await link.renewCredentials(next);
        unsaved = null;
        return;
      } catch (error) {
        link.log("warn", "Avito: the new token could not be stored", { detail: String(error) });
        const { firstPauseMs: firstMs, maxPauseMs: longestMs } = pauses;
        await pause(backOffMs(++failures, { firstMs, longestMs }), link.signal);
      }
    }
  }

  async function renew(): Promise<void> {
    await saving;
    const before = known();
    const tokens = await fetchTokens(link, needApp(before, link), grantOf(before));
    const next = { ...before, ...tokens };
    marginMs = Math.min(MARGIN_MS, (Date.parse(tokens.expires_at) - Date.now()) / 2);
    unsaved = next;
    saving = save(next);
  }

  async function renewed(): Promise<string> {
    renewal ??= renew().finally(() => {
      renewal = null;
    });
    await renewal;
    return known().access_token;
  }

  return {
    async current() {
      const { access_token, expires_at } = known();
      return Date.parse(expires_at) - Date.now() < marginMs ? renewed() : access_token;
    },
    replace: async (refused) => (known().access_token === refused ? renewed() : known().access_token),
    async settled() {
      await renewal?.catch(() => undefined);
      await saving;
    },
  };
}

function grantOf({ refresh_token }: AvitoCredentials): Grant {
  return refresh_token === undefined
    ? { grant_type: "client_credentials" }
    : { grant_type: "refresh_token", refresh_token };
}

function needApp(credentials: AvitoCredentials, link: AvitoLink) {
  const app = appOf(credentials, link);
  if (app === null)
    throw new GrantRefusal("invalid_client", "the installation no longer has an Avito application");
  return app;
}
