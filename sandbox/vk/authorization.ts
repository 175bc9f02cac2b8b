import { randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import { Journal, type Numbered } from "../journal.ts";

/** An application that people can give access to their communities. */
export interface App {
  readonly id: number;
  readonly secret: string;
  readonly name: string;
  /** Addresses that people may be led back to; empty allows every address. */
  readonly redirectUris: readonly string[];
}

/** A page on which somebody is asked for access. */
export interface Authorization {
  readonly id: string;
  readonly app_id: number;
  /** Communities whose keys are asked for; empty asks for the person's own. */
  readonly group_ids: readonly number[];
  readonly scopes: readonly string[];
  readonly redirect_uri: string;
  readonly state: string | null;
  readonly opened_at: number;
  /** Where the person was led back to, once they are done. */
  redirect_url: string | null;
}

/** A code to be exchanged for keys. */
export interface Code {
  readonly authorization: Authorization;
  readonly userId: number;
  readonly untilMs: number;
  used: boolean;
}

/** https://dev.vk.com/ru/api/access-token/authcode-flow-community: a code lives for an hour. */
const codeLifetimeMs = 60 * 60 * 1000;

/** Who was asked for access, and the codes that came of it. */
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

  newCode(authorization: Authorization, userId: number): string {
    const value = randomBytes(9).toString("hex");
    const untilMs = this.#clock.nowMs() + codeLifetimeMs;
    this.#codes.set(value, { authorization, userId, untilMs, used: false });
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
