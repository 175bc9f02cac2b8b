import { randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import { Journal, type Numbered } from "../journal.ts";

/** A dialog of the business login that somebody has opened. */
export interface Authorization {
  readonly id: string;
  readonly app_id: string;
  readonly scopes: readonly string[];
  readonly redirect_uri: string;
  readonly state: string | null;
  readonly opened_at: number;
  /** Where the person was led back to, once they are done. */
  redirect_url: string | null;
}

/** A code to be exchanged for a short-lived token. */
interface Code {
  readonly authorization: Authorization;
  readonly accountId: string;
  readonly untilMs: number;
  used: boolean;
}

/** https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login */
const codeLifetimeMs = 60 * 60 * 1000;

/** The dialogs, and the codes that came of them. */
export class AuthorizationList {
  readonly journal = new Journal<Authorization>(1000);
  readonly #clock: Clock;
  readonly #codes = new Map<string, Code>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(asked: Omit<Authorization, "id" | "opened_at" | "redirect_url">): Numbered<Authorization> {
    const id = randomBytes(8).toString("hex");
    return this.journal.append({ ...asked, id, opened_at: this.#clock.nowMs(), redirect_url: null });
  }

  find(id: string): Numbered<Authorization> | undefined {
    return this.journal.list({ where: (authorization) => authorization.id === id })[0];
  }

  newCode(authorization: Authorization, accountId: string): string {
    const value = `AQB${randomBytes(96).toString("base64url")}`;
    const untilMs = this.#clock.nowMs() + codeLifetimeMs;
    this.#codes.set(value, { authorization, accountId, untilMs, used: false });
    return value;
  }

  /** The code, unless it is unknown, used or too old. */
  takeCode(value: string): Code | undefined {
    const code = this.#codes.get(value);
    if (!code || code.used || code.untilMs <= this.#clock.nowMs()) return undefined;
    code.used = true;
    return code;
  }

  clear(): void {
    this.journal.clear();
    this.#codes.clear();
  }
}
