/**
 * The login steps of a person, with the channel's state that expects them. `pairingCode`: a phone number; the reply
 * is the code to enter on that phone. `phone`: a phone number to which the messenger sends a code, instead of a QR
 * code. `code`: that code. `password`: the two-factor password.
 */
export const LOGIN_STEPS = {
  pairingCode: { awaitedIn: "qr" },
  phone: { awaitedIn: "qr" },
  code: { awaitedIn: "wait_for_code" },
  password: { awaitedIn: "wait_for_password" },
} as const;
export type LoginStepKind = keyof typeof LOGIN_STEPS;

/** `value` is a phone number (international, digits only), a code or a password. */
export interface LoginStep {
  readonly kind: LoginStepKind;
  readonly value: string;
}

/** What the person is shown; everything else follows as states of the link. */
export interface LoginReply {
  /** For `pairingCode`: the code, and its number. */
  readonly code?: string;
  readonly phone?: string;
}
