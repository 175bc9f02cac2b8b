import { randomBytes } from "node:crypto";
import type { Person } from "../person/person.ts";
import type { LinkOutcome, Registration } from "./registration.ts";

/** A client that waits for a person to type its code. */
export class CodeLink {
  readonly registration: Registration;
  readonly ref = randomBytes(24).toString("base64url");
  /** The client's ephemeral key under the code: salt, iv, key. */
  readonly wrappedKey: Buffer;
  /** What the phone agreed on once the code was typed. */
  typed: { person: Person; shared: Buffer; outcome: PromiseWithResolvers<CodeOutcome> } | undefined;

  constructor(registration: Registration, wrappedKey: Buffer) {
    this.registration = registration;
    this.wrappedKey = wrappedKey;
  }
}

/** How typing a code ended. */
export type CodeOutcome = LinkOutcome | { readonly linked: false; readonly reason: "wrong_code" };
