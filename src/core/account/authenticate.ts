import { hash } from "node:crypto";
import { type Database, sql } from "../../database/database.ts";
import type { Log } from "../../platform/log.ts";
import { type Batcher, createBatcher } from "../../platform/queue/batcher.ts";
import type { Base } from "../base.ts";
import { Cache } from "../cache.ts";
import { retryOnLostConnection } from "../retry.ts";
import type { Scope } from "../scope.ts";
import type { Application } from "./application.ts";
import type { OauthScope } from "./oauth-scope.ts";
import type { TokenKind } from "./tokens.ts";

/** The authenticated caller. Also the scope of everything the request may touch. */
export interface Identity extends Scope {
  /** Public id of the token, not the token itself. */
  readonly tokenId: string;
  readonly kind: TokenKind;
  /** The token's scope; null for tokens issued by an operator. */
  readonly scope: readonly OauthScope[] | null;
  /** The grant of OAuth that the token belongs to; null for tokens issued by an operator. */
  readonly grantId: string | null;
  /** The application that OAuth issued the token to; null for tokens issued by an operator. */
  readonly application: Application | null;
}

/** How long a node that missed the notification may still accept a revoked token. */
const KNOWN_TTL_MS = 1_000;
const UNKNOWN_TTL_MS = 1_000;
const MAX_ENTRIES = 20_000;
const USE_INTERVAL_MS = 60_000;
const USE_DELAY_MS = 2_000;

const FIND = sql(
  "tokens_find",
  `select encode(t.hash, 'hex') as hash, t.account_id, t.id, t.kind, t.scope, t.grant_id, g.partner_id, g.client_id,
     extract(epoch from t.expires_at - now())::float8 * 1000 as left_ms
   from tokens t left join oauth_grants g on g.id = t.grant_id
   where t.hash = any($1::bytea[]) and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`,
);
const MARK_USED = sql(
  "tokens_mark_used",
  `update tokens set last_used_at = now()
   where hash = any($1::bytea[]) and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
);

interface TokenRow {
  readonly hash: string;
  readonly account_id: number;
  readonly id: string;
  readonly kind: TokenKind;
  readonly scope: readonly OauthScope[] | null;
  /** The next three are null for a token that was not issued by an OAuth grant. */
  readonly grant_id: string | null;
  readonly partner_id: number | null;
  readonly client_id: string | null;
  /** Null for a token that does not expire. */
  readonly left_ms: number | null;
}

/** An identity, and until when it is valid by `performance.now()`. */
interface Found {
  readonly identity: Identity;
  readonly untilMs: number;
}

/** Tokens that this node has looked up lately. */
export interface HasTokens {
  readonly tokens: TokenCache;
}

/**
 * Returns the token's identity, or null if the token is unknown, expired or revoked. Served from memory for up to a
 * second. A revocation announced on the notification channel `tokens` takes effect immediately.
 */
export async function authenticate({ tokens }: HasTokens, token: string): Promise<Identity | null> {
  const found = await tokens.find(token);
  return found !== null && found.untilMs > performance.now() ? found.identity : null;
}

/** Tokens by the hex of their SHA-256. Pending lookups are cached too, so that each token is looked up once. */
export class TokenCache {
  // Unknown tokens have a separate cache: a flood of guesses must not evict valid tokens.
  readonly #known = new Cache<string, Promise<Found | null>>({
    maxEntries: MAX_ENTRIES,
    ttlMs: KNOWN_TTL_MS,
  });
  readonly #unknown = new Cache<string, Promise<null>>({ maxEntries: MAX_ENTRIES, ttlMs: UNKNOWN_TTL_MS });
  /** Hashes of valid tokens, by token: a client sends the same one with every request. */
  readonly #hashes = new Cache<string, string>({ maxEntries: MAX_ENTRIES, ttlMs: KNOWN_TTL_MS });
  readonly #lookups: Batcher<string, Found | null>;
  readonly #uses: TokenUses;

  constructor({ db, log }: Pick<Base, "db" | "log">) {
    this.#lookups = createBatcher({
      run: (hashes) => findTokens(db, hashes),
      maxItems: 500,
      maxConcurrent: 2,
    });
    this.#uses = new TokenUses(db, log);
    db.listen("tokens", (hashHex) => this.forget(hashHex)).catch((error: unknown) =>
      log.warn({ err: error }, "revoked tokens may work for some seconds more"),
    );
  }

  find(token: string): Promise<Found | null> {
    const hashHex = this.#hashes.get(token) ?? hash("sha256", token, "hex");
    return this.#known.get(hashHex) ?? this.#unknown.get(hashHex) ?? this.#lookUp(token, hashHex);
  }

  #lookUp(token: string, hashHex: string): Promise<Found | null> {
    const found = this.#lookups.add(hashHex);
    this.#known.set(hashHex, found);
    found.then(
      (known) => {
        if (known !== null) {
          this.#hashes.set(token, hashHex);
          this.#uses.mark(hashHex);
          return;
        }
        this.#known.delete(hashHex);
        this.#unknown.set(hashHex, NOBODY);
      },
      () => this.#known.delete(hashHex),
    );
    return found;
  }

  /** Looks the token up again at its next use; "": every token. */
  forget(hashHex: string): void {
    for (const cache of [this.#known, this.#unknown]) {
      if (hashHex === "") cache.clear();
      else cache.delete(hashHex);
    }
  }
}

const NOBODY = Promise.resolve(null);

async function findTokens(db: Database, hashes: readonly string[]): Promise<(Found | null)[]> {
  const values = [hashes.map((each) => Buffer.from(each, "hex"))];
  const rows = await retryOnLostConnection(() => db.query<TokenRow>(FIND, values));
  const byHash = new Map(rows.map((row) => [row.hash, row]));
  return hashes.map((each) => {
    const row = byHash.get(each);
    return row === undefined ? null : foundOf(row);
  });
}

function foundOf(row: TokenRow): Found {
  const { account_id: accountId, id: tokenId, kind, scope, grant_id: grantId } = row;
  const { partner_id: partnerId, client_id: clientId } = row;
  const application = partnerId === null ? null : { partnerId, clientId };
  const untilMs = performance.now() + (row.left_ms ?? Number.POSITIVE_INFINITY);
  return { identity: { accountId, tokenId, kind, scope, grantId, application }, untilMs };
}

/**
 * Writes `last_used_at` at most once a minute per token, for many tokens in one statement, without delaying requests.
 */
class TokenUses {
  readonly #recent = new Cache<string, true>({ maxEntries: MAX_ENTRIES, ttlMs: USE_INTERVAL_MS });
  readonly #db: Database;
  readonly #log: Log;
  #waiting: string[] = [];

  constructor(db: Database, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  mark(hashHex: string): void {
    if (this.#recent.get(hashHex)) return;
    this.#recent.set(hashHex, true);
    this.#waiting.push(hashHex);
    if (this.#waiting.length === 1) setTimeout(() => this.#write(), USE_DELAY_MS).unref();
  }

  #write(): void {
    const hashes = this.#waiting.map((each) => Buffer.from(each, "hex"));
    this.#waiting = [];
    this.#db
      .query(MARK_USED, [hashes])
      .catch((error: unknown) => this.#log.debug({ err: error }, "last use of tokens not written"));
  }
}
