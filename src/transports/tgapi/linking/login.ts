import type { tl } from "@mtcute/core";
import { LoginRefused } from "../../../core/transport/errors.ts";
import type { LinkState } from "../../../core/transport/events.ts";
import type { LoginReply, LoginStep } from "../../../core/transport/login.ts";
import { qrPng } from "../../../platform/qr.ts";
import { refusalIn, secondsToWait } from "../errors.ts";
import type { Client } from "../library/client.ts";
import { ask } from "../line.ts";
import type { TgapiLink } from "../link.ts";
import type { Timing } from "../timing.ts";
import { toRefusedStep } from "./login-errors.ts";

/** How an attempt to link an account ended. */
export type LoginEnd =
  | { readonly kind: "linked"; readonly user: tl.RawUser }
  /** Nobody scanned a QR code, or a code or password was not entered in time. */
  | { readonly kind: "idle" }
  /** Telegram rejects this installation (`API_ID_INVALID` and similar). */
  | { readonly kind: "rejected"; readonly detail: string };

export interface LoginParts {
  readonly link: TgapiLink;
  readonly timing: Timing;
  readonly client: Client;
  readonly signal: AbortSignal;
  tell(state: LinkState): Promise<void>;
  pause(ms: number): Promise<void>;
}

type Awaited = "qr" | "code" | "password";

/** The minimum time that a QR code is shown. */
const SHORTEST_QR_MS = 1_000;
const AGAIN_MS = 2_000;

/**
 * Links an account by QR code (core.telegram.org/api/qr-login), or by a code sent to its number
 * (core.telegram.org/api/auth), with the two-factor password if there is one (core.telegram.org/api/srp).
 */
export class Login {
  readonly #parts: LoginParts;
  readonly #end = Promise.withResolvers<LoginEnd>();
  #isOver = false;
  #awaited: Awaited = "qr";
  #isShown = false;
  #sentCode: { readonly phone: string; readonly hash: string } | null = null;
  #hint = "";
  /** The difference to Telegram's clock, which determines when codes expire. */
  #clockAheadMs = 0;
  /** Resolves when the loop has something to handle. */
  #news = Promise.withResolvers<void>();

  constructor(parts: LoginParts) {
    this.#parts = parts;
  }

  async run(): Promise<LoginEnd> {
    const { client, signal } = this.#parts;
    client.onServerUpdate.add(this.#watch);
    const looping = this.#loop().catch((error: unknown) => {
      if (!signal.aborted) this.#end.reject(error);
    });
    const stop = (): void => this.#end.reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await this.#end.promise;
    } finally {
      this.#isOver = true;
      this.#signal();
      signal.removeEventListener("abort", stop);
      client.onServerUpdate.remove(this.#watch);
      await looping;
    }
  }

  /** Throws `LoginRefused`. */
  async answer({ kind, value }: LoginStep): Promise<LoginReply> {
    const isKnown = kind === "phone" || kind === "code" || kind === "password";
    const isNow = kind === "phone" ? this.#awaited === "qr" && this.#isShown : kind === this.#awaited;
    if (!isKnown || !isNow || this.#isOver)
      throw new LoginRefused("not_expected", "This step is not expected now");
    try {
      if (kind === "phone") await this.#sendCode(value);
      else if (kind === "code") await this.#signIn(value);
      else await this.#checkPassword(value);
      return {};
    } catch (error) {
      throw toRefusedStep(error, { kind, hint: this.#hint });
    }
  }

  readonly #watch = (given: tl.TypeUpdates): void => {
    const updates = "updates" in given ? given.updates : "update" in given ? [given.update] : [];
    if (updates.some(({ _: kind }) => kind === "updateLoginToken")) this.#signal();
  };

  #signal(): void {
    this.#news.resolve();
  }

  async #loop(): Promise<void> {
    await this.#parts.client.connect();
    const { timing } = this.#parts;
    const asked = await this.#ask({ _: "help.getConfig" }).catch(() => null);
    if (asked !== null) this.#clockAheadMs = asked.date * 1_000 - Date.now();
    for (let shown = 0; !this.#isOver; ) {
      this.#news = Promise.withResolvers();
      if (this.#awaited !== "qr") {
        const awaited = this.#awaited;
        if (!(await this.#waitFor(timing.secretMs)) && awaited === this.#awaited)
          return this.#finish({ kind: "idle" });
        continue;
      }
      const token = await this.#exportToken();
      if (token === null || this.#isOver || this.#awaited !== "qr") continue;
      if (shown++ >= timing.qrCodes) return this.#finish({ kind: "idle" });
      await this.#show(token);
      await this.#waitFor(this.#lifeOf(token));
    }
  }

  /** Returns false after the timeout. */
  async #waitFor(ms: number): Promise<boolean> {
    const news = this.#news.promise.then(() => true);
    return Promise.race([news, this.#parts.pause(ms).then(() => false)]);
  }

  #lifeOf({ expires }: tl.auth.RawLoginToken): number {
    const { qrMs } = this.#parts.timing;
    const leftMs = expires * 1_000 - this.#clockAheadMs - Date.now();
    return Math.min(qrMs, Math.max(SHORTEST_QR_MS, leftMs));
  }

  async #show({ token }: tl.auth.RawLoginToken): Promise<void> {
    const text = `tg://login?token=${Buffer.from(token).toString("base64url")}`;
    const qr = await qrPng(text);
    if (this.#isOver || this.#awaited !== "qr") return;
    this.#isShown = true;
    await this.#parts.tell({ status: "init", reason: "qr", qr });
  }

  /** The next QR code to show; null if there is none, or none yet. */
  async #exportToken(): Promise<tl.auth.RawLoginToken | null> {
    const { apiId, apiHash } = this.#parts.link.settings;
    const request = { _: "auth.exportLoginToken" as const, apiId: Number(apiId), apiHash, exceptIds: [] };
    try {
      const answer = await this.#ask(request);
      if (answer._ === "auth.loginToken") return answer;
      await this.#take(answer);
      return null;
    } catch (error) {
      return this.#takeFailure(error);
    }
  }

  async #take(answer: tl.auth.TypeLoginToken): Promise<void> {
    if (answer._ === "auth.loginTokenSuccess") return this.#authorized(answer.authorization);
    if (answer._ !== "auth.loginTokenMigrateTo") return;
    await this.#parts.client.changePrimaryDc(answer.dcId);
    const imported = await this.#ask({ _: "auth.importLoginToken", token: answer.token });
    if (imported._ === "auth.loginTokenSuccess") this.#authorized(imported.authorization);
  }

  async #takeFailure(error: unknown): Promise<null> {
    const { link, pause, signal } = this.#parts;
    const refusal = refusalIn(error);
    if (refusal?.text === "SESSION_PASSWORD_NEEDED") await this.#awaitPassword();
    else if (refusal !== null && REJECTED.includes(refusal.text))
      this.#finish({ kind: "rejected", detail: refusal.text });
    else if (!signal.aborted && !this.#isOver) {
      const seconds = refusal === null ? null : secondsToWait(refusal);
      link.log("info", "Telegram: no QR code yet", { error: String(error) });
      await pause(seconds === null ? AGAIN_MS : seconds * 1_000);
    }
    return null;
  }

  async #sendCode(phone: string): Promise<void> {
    const { apiId, apiHash } = this.#parts.link.settings;
    const sent = await this.#ask({
      _: "auth.sendCode",
      phoneNumber: phone.replace(/\D/g, ""),
      apiId: Number(apiId),
      apiHash,
      settings: { _: "codeSettings" },
    });
    if (sent._ === "auth.sentCodeSuccess") return this.#authorized(sent.authorization);
    if (sent._ !== "auth.sentCode")
      throw new LoginRefused("wrong", "must be a number to which Telegram sends codes");
    this.#sentCode = { phone, hash: sent.phoneCodeHash };
    await this.#await("code", { status: "init", reason: "wait_for_code" });
  }

  async #signIn(code: string): Promise<void> {
    const { phone, hash } = this.#sentCode ?? { phone: "", hash: "" };
    try {
      const answer = await this.#ask({
        _: "auth.signIn",
        phoneNumber: phone.replace(/\D/g, ""),
        phoneCodeHash: hash,
        phoneCode: code.trim(),
      });
      this.#authorized(answer);
    } catch (error) {
      const { text } = refusalIn(error) ?? {};
      if (text === "SESSION_PASSWORD_NEEDED") return this.#awaitPassword();
      // Another code requires another attempt.
      if (text === "PHONE_CODE_EXPIRED") this.#backToQr();
      throw error;
    }
  }

  #backToQr(): void {
    this.#awaited = "qr";
    this.#isShown = false;
    this.#signal();
  }

  async #awaitPassword(): Promise<void> {
    const { hint = "" } = await this.#ask({ _: "account.getPassword" });
    this.#hint = hint;
    const shown = hint === "" ? {} : { hint };
    await this.#await("password", { status: "init", reason: "wait_for_password", ...shown });
  }

  async #checkPassword(password: string): Promise<void> {
    const { client } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      const asked = await this.#ask({ _: "account.getPassword" });
      this.#hint = asked.hint ?? "";
      const proof = await client.computeSrpParams(asked, password);
      try {
        return this.#authorized(await this.#ask({ _: "auth.checkPassword", password: proof }));
      } catch (error) {
        if (refusalIn(error)?.text !== "SRP_ID_INVALID" || attempt > 1) throw error;
      }
    }
  }

  async #await(what: Awaited, state: LinkState): Promise<void> {
    this.#awaited = what;
    this.#isShown = false;
    this.#signal();
    await this.#parts.tell(state);
  }

  #authorized(answer: tl.auth.TypeAuthorization): void {
    if (answer._ !== "auth.authorization" || answer.user._ !== "user")
      throw new LoginRefused("wrong", "There is no Telegram account with this number");
    this.#finish({ kind: "linked", user: answer.user });
  }

  #finish(end: LoginEnd): void {
    this.#isOver = true;
    this.#end.resolve(end);
    this.#signal();
  }

  #ask<T extends tl.RpcMethod>(request: T): Promise<tl.RpcCallReturn[T["_"]]> {
    const { client, timing, signal } = this.#parts;
    return ask({ client, callMs: timing.callMs, signal }, request, signal);
  }
}

/** The installation's `api_id` is invalid; only the operator can change it. */
const REJECTED = ["API_ID_INVALID", "API_ID_PUBLISHED_FLOOD", "UPDATE_APP_TO_LOGIN"];
