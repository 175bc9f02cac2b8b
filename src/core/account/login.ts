import { createHmac, randomBytes } from "node:crypto";
import { Cache } from "../cache.ts";
import type { Core } from "../core.ts";
import { Seldom } from "../seldom.ts";
import { Turns } from "../turns.ts";
import { giveBackAttempt, takeAttempt } from "./login-brake.ts";
import { findPartner, type Partner } from "./partners.ts";
import { NOBODYS_PASSWORD, verifyPassword } from "./password.ts";

export interface Login {
  readonly email: string;
  readonly password: string;
  /** Where the request came from. */
  readonly address: string;
}

/** Spares a program that asks often the cost of its password. A changed password counts at once all the same. */
const KNOWN_TTL_MS = 10 * 60_000;
const MAX_KNOWN = 10_000;
const REPEATS_AFTER_MS = 60_000;
const TURNS = {
  /** Each takes 19 MiB and a thread for some ten milliseconds. */
  atATime: 2,
  /** A flood of guesses from everywhere must not become a queue that nobody lives to see the end of. */
  maxWaiting: 64,
  refusal: "Too many passwords to look at; repeat the request later",
};

const states = new WeakMap<Core, Logins>();

/**
 * The partner with that e-mail and password, or null. Somebody unknown is refused as slowly as a wrong password.
 * Throws TOO_MANY_LOGINS after ten wrong passwords in a quarter of an hour from the same address, and UNAVAILABLE
 * when more passwords have to be looked at than there is time for.
 */
export function authenticatePartner(core: Core, login: Login): Promise<Partner | null> {
  let state = states.get(core);
  if (state === undefined) {
    state = new Logins(core);
    states.set(core, state);
  }
  return state.check(login);
}

class Logins {
  readonly #core: Core;
  // Passwords lie in memory as HMACs under a key that is nowhere else.
  readonly #key = randomBytes(32);
  /** By e-mail and password: what was stored when they fitted. */
  readonly #known = new Cache<string, string>({ maxEntries: MAX_KNOWN, ttlMs: KNOWN_TTL_MS });
  /** The same login at the same moment is one attempt. */
  readonly #underWay = new Map<string, Promise<Partner | null>>();
  readonly #turns = new Turns(TURNS);
  /** Who guesses from many addresses must not fill the log. */
  readonly #news = new Seldom({ maxEntries: MAX_KNOWN, ttlMs: REPEATS_AFTER_MS });

  constructor(core: Core) {
    this.#core = core;
  }

  async check(login: Login): Promise<Partner | null> {
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
    const right = await this.#turns
      .take(() => verifyPassword(password, stored))
      .catch(async (error: unknown) => {
        // Nobody has looked at it.
        await giveBackAttempt(db, attempt);
        throw error;
      });
    if (!right || found === null) {
      const partnerId = found?.id ?? null;
      const isNews = this.#news.isNews(String(partnerId));
      log[isNews ? "warn" : "debug"]({ partnerId, address }, "a partner's password was refused");
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
