import { randomBytes } from "node:crypto";
import type { Connection } from "../connection.ts";
import type { PasskeyExchange } from "../passkey/exchange.ts";
import type { CompanionKeys } from "../person/linked-device.ts";
import type { Companion, Person } from "../person/person.ts";

const refsPerSocket = 6;

/** The result of an attempt to link. */
export type LinkOutcome =
  | { readonly linked: true; readonly companion: Companion }
  | { readonly linked: false; readonly reason: "refused_by_client" | "bad_device_signature" }
  /** The phone shows "continue on the other device"; the rest follows from there. */
  | { readonly linked: false; readonly reason: "passkey_asked" };

interface Attempt {
  readonly person: Person;
  readonly device: number;
  readonly outcome: PromiseWithResolvers<LinkOutcome>;
}

/** A client that is not linked yet: the references of its QR codes, and its future identity. */
export class Registration {
  readonly connection: Connection;
  readonly keys: CompanionKeys;
  readonly refs: readonly string[];
  /** Secrets retired by `companion_reg_refresh`: QR codes with them are invalid. */
  readonly retiredSecrets = new Set<string>();
  /** The phone has accepted; the device has not signed yet. */
  attempt: Attempt | undefined;
  /** The account requires a passkey; it is being asked for. */
  passkey: PasskeyExchange | undefined;

  constructor(connection: Connection, keys: CompanionKeys) {
    this.connection = connection;
    this.keys = keys;
    this.refs = Array.from({ length: refsPerSocket }, () => `2@${randomBytes(60).toString("base64")}`);
  }

  /** The client has disconnected. */
  close(): void {
    this.attempt?.outcome.resolve({ linked: false, reason: "refused_by_client" });
    this.attempt = undefined;
    this.passkey = undefined;
  }
}
