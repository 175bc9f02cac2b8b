import { setTimeout as sleep } from "node:timers/promises";
import { LoginRefused } from "../../../core/transport/errors.ts";
import type { LinkState } from "../../../core/transport/events.ts";
import { fields, flag, number, text } from "../../../platform/foreign/foreign-json.ts";
import { qrPng } from "../../../platform/qr.ts";
import { isFlood, Refusal } from "../errors.ts";
import type { MaxClient } from "../line/client.ts";
import type { Timing } from "../timing.ts";
import { OP } from "../wire/opcodes.ts";

const readQr = fields({
  qrLink: text,
  trackId: text,
  pollingInterval: number,
  expiresAt: number,
  ttl: number,
});
const readStatus = fields({ status: fields({ loginAvailable: flag, expiresAt: number }) });
const readLoggedIn = fields({
  tokenAttrs: fields({ LOGIN: fields({ token: text }) }),
  passwordChallenge: fields({ trackId: text, hint: text }),
});

/** The validity of a code if MAX states none or an implausible one, and the maximum accepted: clocks may differ. */
const USUAL_LIFE_MS = 60_000;
const LONGEST_LIFE_MS = 10 * 60_000;

interface Challenge {
  readonly trackId: string;
  readonly hint: string | undefined;
}

export interface LinkingParts {
  readonly client: Pick<MaxClient, "call" | "ended">;
  readonly timing: Timing;
  readonly signal: AbortSignal;
  tell(state: LinkState): Promise<void>;
}

/** Shows QR codes until one is scanned, and accepts the password if the account has one. */
export class Linking {
  readonly #parts: LinkingParts;
  #challenge: Challenge | null = null;
  readonly #token = Promise.withResolvers<string>();
  /** Only one check at a time, because MAX counts wrong passwords. */
  #isAsking = false;

  constructor(parts: LinkingParts) {
    this.#parts = parts;
    this.#token.promise.catch(() => undefined);
  }

  /**
   * Resolves with the session's token, or null if nobody scanned a code. Rejects with `Refusal`, or with `NoResponse`
   * if the connection is lost.
   */
  async token(): Promise<string | null> {
    const { client, signal, timing } = this.#parts;
    const until = performance.now() + timing.qrIdleMs;
    for (;;) {
      signal.throwIfAborted();
      const nextAt = performance.now() + timing.qrLeastMs;
      const trackId = await this.#showUntilScanned(until);
      if (trackId === "idle") return null;
      if (trackId === null) {
        await sleep(Math.max(0, nextAt - performance.now()), undefined, { signal });
        continue;
      }
      const answer = readLoggedIn(await client.call(OP.loginByQr, { trackId }, signal));
      const token = answer?.tokenAttrs?.LOGIN?.token;
      if (token !== undefined) return token;
      const challenge = answer?.passwordChallenge;
      if (challenge?.trackId === undefined)
        throw new Refusal("", "the login has neither a token nor a password challenge");
      return this.#awaitPassword({ trackId: challenge.trackId, hint: challenge.hint });
    }
  }

  /** Throws `LoginRefused`. Resolves when MAX has accepted the password. */
  async givePassword(password: string): Promise<void> {
    const challenge = this.#challenge;
    if (challenge === null) throw new LoginRefused("not_expected", "No password is expected at the moment");
    if (this.#isAsking) throw new LoginRefused("too_often", "Another password is being checked");
    this.#isAsking = true;
    try {
      const { trackId } = challenge;
      const answer = readLoggedIn(await this.#parts.client.call(OP.password, { trackId, password }));
      const token = answer?.tokenAttrs?.LOGIN?.token;
      if (token === undefined) throw new LoginRefused("unavailable", "MAX returned no session");
      this.#challenge = null;
      this.#token.resolve(token);
    } catch (error) {
      // This challenge cannot be used again; the login restarts with a QR code.
      if (error instanceof Refusal && isOver(error)) this.#token.reject(error);
      throw refusalOf(error, challenge);
    } finally {
      this.#isAsking = false;
    }
  }

  /**
   * Returns the id of the scanned code, null if the code has expired, or "idle" if nobody scanned any code in time.
   */
  async #showUntilScanned(until: number): Promise<string | null> {
    const { client, signal, timing, tell } = this.#parts;
    const { qrLink, trackId, pollingInterval, ...life } = readQr(await client.call(OP.qr, {}, signal)) ?? {};
    if (qrLink === undefined || trackId === undefined)
      throw new Refusal("", "the response contains no QR code");
    await tell({ status: "init", reason: "qr", qr: await qrPng(qrLink) });
    const pauseMs = Math.max(timing.pollMs, pollingInterval ?? 0);
    const endsAt = performance.now() + lifeOf(life, timing.qrLeastMs);
    while (performance.now() < endsAt) {
      if (performance.now() > until) return "idle";
      await sleep(Math.min(pauseMs, endsAt - performance.now() + 1), undefined, { signal });
      const isScanned = await this.#isScanned(trackId);
      if (isScanned !== false) return isScanned === true ? trackId : null;
    }
    return performance.now() > until ? "idle" : null;
  }

  /** Null if MAX no longer knows the code. */
  async #isScanned(trackId: string): Promise<boolean | null> {
    const { client, signal } = this.#parts;
    try {
      const { status } = readStatus(await client.call(OP.qrStatus, { trackId }, signal)) ?? {};
      return status?.loginAvailable === true;
    } catch (error) {
      if (error instanceof Refusal && error.says("track", "expired", "not.found")) return null;
      throw error;
    }
  }

  async #awaitPassword(challenge: Challenge): Promise<string | null> {
    const { signal, timing, tell, client } = this.#parts;
    this.#challenge = challenge;
    const { hint } = challenge;
    try {
      await tell({
        status: "init",
        reason: "wait_for_password",
        ...(hint === undefined ? {} : { hint }),
      });
      const stop = AbortSignal.any([signal, AbortSignal.timeout(timing.passwordMs)]);
      const late = new Promise<null>((resolve) =>
        stop.addEventListener("abort", () => resolve(null), { once: true }),
      );
      const lost = client.ended.then((why) => Promise.reject(new Error(why)));
      return await Promise.race([this.#token.promise, late, lost]);
    } finally {
      this.#challenge = null;
    }
  }
}

/** MAX reports the time at which a code expires, by its own clock. */
function lifeOf(
  { expiresAt, ttl }: { readonly expiresAt?: number | undefined; readonly ttl?: number | undefined },
  leastMs: number,
): number {
  const ms = ttl ?? (expiresAt === undefined ? USUAL_LIFE_MS : expiresAt - Date.now());
  return ms >= leastMs && ms <= LONGEST_LIFE_MS ? ms : USUAL_LIFE_MS;
}

function isOver(refusal: Refusal): boolean {
  return refusal.says("attempt.limit", "no.attempts", "code.limit", "track");
}

function refusalOf(error: unknown, { hint }: Challenge): LoginRefused {
  if (error instanceof LoginRefused) return error;
  if (!(error instanceof Refusal))
    return new LoginRefused("unavailable", "MAX did not respond", { cause: error });
  if (isFlood(error) || isOver(error))
    return new LoginRefused("too_often", "MAX requires a delay before the next password");
  if (error.says("wrong_password", "password"))
    return new LoginRefused(
      "wrong",
      `The password is wrong${hint === undefined ? "" : `; its hint: ${hint}`}`,
    );
  return new LoginRefused("unavailable", `MAX refused (${error.key})`);
}
