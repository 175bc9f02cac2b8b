import { randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import { Journal, type Numbered } from "../journal.ts";

interface Asked {
  readonly scopes: readonly string[];
  readonly redirect_uri: string;
  readonly state: string | null;
}

/** A page that asks a person for access (RFC 6749, section 4.1). */
export interface Authorization extends Asked {
  readonly id: string;
  readonly opened_at: number;
  /** Where the person was redirected afterwards. */
  redirect_url: string | null;
}

/** A code to be exchanged for tokens. */
interface Code<More, Given> {
  readonly authorization: Authorization & More;
  /** Who consented, or what they granted access to. */
  readonly given: Given;
  readonly untilMs: number;
  used: boolean;
}

/** A code is valid for an hour, at VK and at Meta. */
const codeLifetimeMs = 60 * 60 * 1000;

/** Pending requests for access and the resulting codes. `More` is what else the platform asks for. */
export class AuthorizationList<More extends object, Given> {
  readonly journal = new Journal<Authorization & More>(1000);
  readonly #clock: Clock;
  readonly #newValue: () => string;
  readonly #codes = new Map<string, Code<More, Given>>();

  /** `newValue` creates a code in the platform's format. */
  constructor(clock: Clock, newValue: () => string) {
    this.#clock = clock;
    this.#newValue = newValue;
  }

  open(asked: Asked & More): Numbered<Authorization & More> {
    const id = randomBytes(8).toString("hex");
    return this.journal.append({ ...asked, id, opened_at: this.#clock.nowMs(), redirect_url: null });
  }

  find(id: string): Numbered<Authorization & More> | undefined {
    return this.journal.list({ where: (authorization) => authorization.id === id })[0];
  }

  newCode(authorization: Authorization & More, given: Given): string {
    const value = this.#newValue();
    const untilMs = this.#clock.nowMs() + codeLifetimeMs;
    this.#codes.set(value, { authorization, given, untilMs, used: false });
    return value;
  }

  /** The code, unless it is unknown, used or expired. */
  takeCode(value: string): Code<More, Given> | undefined {
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

/** Ends the dialog. Returns the redirect address with the result. */
export function leadBack(
  authorization: Authorization,
  result: Readonly<Record<string, string>>,
  hash = "",
): string {
  const url = new URL(authorization.redirect_uri);
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
  if (authorization.state !== null) url.searchParams.set("state", authorization.state);
  url.hash = hash;
  authorization.redirect_url = url.href;
  return url.href;
}

/** The parameters of the redirect if the person does not consent. */
export function denial(description: string): Readonly<Record<string, string>> {
  return { error: "access_denied", error_reason: "user_denied", error_description: description };
}
