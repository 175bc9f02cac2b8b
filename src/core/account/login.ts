import { createHmac, randomBytes } from "node:crypto";
import type { Base } from "../base.ts";
import { Cache } from "../cache.ts";
import { ConcurrencyLimit } from "../concurrency-limit.ts";
import type { HasDirectory } from "../directory/directory.ts";
import { LogThrottle } from "../log-throttle.ts";
import { checkAttempt, giveBackAttempt, takeAttempt } from "./login-brake.ts";
import { refuseOldPartners } from "./partner-age.ts";
import { findPartner, type Partner } from "./partners.ts";
import { NOBODYS_PASSWORD, verifyPassword } from "./password.ts";

export interface Login {
  readonly email: string;
  readonly password: string;
  /** The client's address. */
  readonly address: string;
}

/** Saves clients that log in often the cost of hashing. A changed password takes effect immediately nevertheless. */
const KNOWN_TTL_MS = 10 * 60_000;
const MAX_KNOWN = 10_000;
const REPEATS_AFTER_MS = 60_000;
const CONCURRENCY = {
  /** Each takes 19 MiB and occupies a thread for tens of milliseconds. */
  maxConcurrent: 2,
  /** Bounds the queue during a flood of guesses, so that callers do not wait longer than they stay connected. */
  maxWaiting: 64,
  refusal: "Too many passwords are being checked; repeat the request later",
};

/** Checks passwords of partners, on this node. */
export interface HasLogins {
  readonly logins: Logins;
}

/**
 * The partner with this e-mail and password, or null. An unknown e-mail takes as long as a wrong password. Throws
 * TOO_MANY_LOGINS after ten wrong passwords within 15 minutes from the same address, and UNAVAILABLE if too many
 * passwords are waiting to be checked.
 */
export function authenticatePartner({ logins }: HasLogins, login: Login): Promise<Partner | null> {
  return logins.check(login);
}

type LoginCore = Pick<Base, "db" | "log" | "clock"> & HasDirectory;

export class Logins {
  readonly #core: LoginCore;
  // Passwords are kept in memory as HMACs with a key that exists only here.
  readonly #key = randomBytes(32);
  /** By e-mail and password: the stored hash that they matched. */
  readonly #known = new Cache<string, string>({ maxEntries: MAX_KNOWN, ttlMs: KNOWN_TTL_MS });
  /** Concurrent identical logins are one attempt. */
  readonly #underWay = new Map<string, Promise<Partner | null>>();
  readonly #concurrency = new ConcurrencyLimit(CONCURRENCY);
  /** Guesses from many addresses must not fill the log. */
  readonly #logThrottle = new LogThrottle({ maxEntries: MAX_KNOWN, ttlMs: REPEATS_AFTER_MS });

  constructor(core: LoginCore) {
    this.#core = core;
  }

  async check(login: Login): Promise<Partner | null> {
    await refuseOldPartners(this.#core);
    const found = await findPartner(this.#core.db, login.email);
    const key = this.#digest(login.email, login.password);
    if (found !== null && this.#known.get(key) === found.password) return partnerOf(found);
    const attempt = this.#digest(login.email, login.password, login.address, found?.password ?? "");
    const underWay = this.#underWay.get(attempt);
    if (underWay !== undefined) return underWay;
    const checked = this.#verify(login, found, key).finally(() => this.#underWay.delete(attempt));
    this.#underWay.set(attempt, checked);
    return checked;
  }

  async #verify(
    { email, password, address }: Login,
    found: Awaited<ReturnType<typeof findPartner>>,
    key: string,
  ): Promise<Partner | null> {
    const { db, log } = this.#core;
    const attempt = await takeAttempt(db, email.trim().toLowerCase(), address);
    const stored = found?.password ?? NOBODYS_PASSWORD;
    const check = () => this.#concurrency.run(() => verifyPassword(password, stored));
    const right = await checkAttempt(db, attempt, check);
    if (!right || found === null) {
      const partnerId = found?.id ?? null;
      const isFirst = this.#logThrottle.shouldLog(String(partnerId));
      log[isFirst ? "warn" : "debug"]({ partnerId, address }, "a partner's password was refused");
      return null;
    }
    this.#known.set(key, stored);
    await giveBackAttempt(db, attempt);
    return partnerOf(found);
  }

  #digest(...parts: readonly string[]): string {
    return createHmac("sha256", this.#key).update(JSON.stringify(parts)).digest("hex");
  }
}

function partnerOf({ id, email, name }: Partner): Partner {
  return { id, email, name };
}
