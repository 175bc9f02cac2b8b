import { randomBytes } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { Journal, type Numbered } from "../../journal.ts";

/** An open dialog. */
export interface Signup {
  readonly id: string;
  readonly app_id: string;
  readonly config_id: string | null;
  readonly redirect_uri: string;
  readonly state: string | null;
  readonly opened_at: number;
  /** The redirect address after the dialog; null until then. */
  redirect_url: string | null;
}

/** A code issued by the dialog, to be exchanged for a token. */
export interface Code {
  readonly value: string;
  readonly appId: string;
  readonly redirectUri: string;
  readonly wabaIds: readonly string[];
  readonly untilMs: number;
  used: boolean;
}

/** Valid for about half a minute, like Meta's. */
const codeLifetimeMs = 30_000;

/** The dialogs of Embedded Signup, and the resulting codes. */
export class SignupList {
  readonly journal = new Journal<Signup>(1000);
  readonly #clock: Clock;
  readonly #codes = new Map<string, Code>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(signup: Omit<Signup, "id" | "opened_at" | "redirect_url">): Numbered<Signup> {
    const id = randomBytes(8).toString("hex");
    return this.journal.append({ ...signup, id, opened_at: this.#clock.nowMs(), redirect_url: null });
  }

  find(id: string): Numbered<Signup> | undefined {
    return this.journal.list({ where: (signup) => signup.id === id })[0];
  }

  newCode(signup: Signup, wabaIds: readonly string[]): Code {
    const code = {
      value: `AQ${randomBytes(96).toString("base64url")}`,
      appId: signup.app_id,
      redirectUri: signup.redirect_uri,
      wabaIds,
      untilMs: this.#clock.nowMs() + codeLifetimeMs,
      used: false,
    };
    this.#codes.set(code.value, code);
    return code;
  }

  code(value: string): Code | undefined {
    return this.#codes.get(value);
  }

  clear(): void {
    this.journal.clear();
    this.#codes.clear();
  }
}
