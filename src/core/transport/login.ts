/**
 * The login steps of a person, with the channel's state that expects them. `pairingCode`: a phone number; the reply
 * is the code to enter on that phone. `phone`: a phone number to which the messenger sends a code, instead of a QR
 * code. `code`: that code, or the one of the state's `compare` as shown on the phone. `password`: the two-factor
 * password. `passkey`: the answer to the state's request, the JSON of `PublicKeyCredential.toJSON()` as text.
 */
export const LOGIN_STEPS = {
  pairingCode: { awaitedIn: "qr" },
  phone: { awaitedIn: "qr" },
  code: { awaitedIn: "wait_for_code" },
  password: { awaitedIn: "wait_for_password" },
  passkey: { awaitedIn: "wait_for_passkey" },
} as const;
export type LoginStepKind = keyof typeof LOGIN_STEPS;

/** `value` is a phone number (international, digits only), a code, a password or the answer of a passkey. */
export interface LoginStep {
  readonly kind: LoginStepKind;
  readonly value: string;
}

/** A ceremony with the account's passkey, which browsers permit on the messenger's own site only. */
export interface PasskeyPrompt {
  /** The address to open for it. */
  readonly site: string;
  /**
   * What `PublicKeyCredential.parseRequestOptionsFromJSON` takes, at most `MAX_PASSKEY_BYTES` as text. Null: it was
   * answered, and the messenger accepted the answer; the phone has to continue.
   */
  readonly request: Readonly<Record<string, unknown>> | null;
  /** When the messenger gives up. */
  readonly expiresInMs: number;
  /** Until then, the answer links the channel without a comparison of codes; 0 if it never does. */
  readonly promptMs: number;
}
/** The limit of a passkey's request, and of its answer. */
export const MAX_PASSKEY_BYTES = 16 * 1024;

/**
 * Why a linking with a passkey ended; it starts over with a new QR code. `expired`: nobody answered in time.
 * `refused`: the messenger refused the answer. `silent`: the phone did not continue. `interrupted`: the connection was
 * lost.
 */
export const PASSKEY_PROBLEMS = ["expired", "refused", "silent", "interrupted"] as const;
export type PasskeyProblem = (typeof PASSKEY_PROBLEMS)[number];

/**
 * Why the answer of a passkey is refused. `malformed`: it is not the JSON of an assertion. `other_request`: it answers
 * an earlier request. `wrong_site`: it was made on another site. `not_verified`: the person was not verified.
 * `unknown_passkey`: it is not one of the account's. `refused`: by the messenger; the linking starts over.
 */
export const PASSKEY_FAULTS = [
  "malformed",
  "other_request",
  "wrong_site",
  "not_verified",
  "unknown_passkey",
  "refused",
] as const;
export type PasskeyFault = (typeof PASSKEY_FAULTS)[number];

/** What the person is shown; everything else follows as states of the link. */
export interface LoginReply {
  /** For `pairingCode`: the code, and its number. */
  readonly code?: string;
  readonly phone?: string;
}
