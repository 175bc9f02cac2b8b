import { randomBytes } from "node:crypto";
import type { Person } from "../person/person.ts";
import type { LinkOutcome, Registration } from "./registration.ts";

/** A client that waits for a person to type its code. */
export class CodeLink {
  readonly registration: Registration;
  readonly ref = randomBytes(24).toString("base64url");
  /** The client's ephemeral key under the code: salt, iv, key. */
  readonly wrappedKey: Buffer;
  /** The result of the key agreement, once the code was typed. */
  typed: { person: Person; shared: Buffer; outcome: PromiseWithResolvers<CodeOutcome> } | undefined;

  constructor(registration: Registration, wrappedKey: Buffer) {
    this.registration = registration;
    this.wrappedKey = wrappedKey;
  }
}

/** The result of typing a code. */
export type CodeOutcome = LinkOutcome | { readonly linked: false; readonly reason: "wrong_code" };
