/**
 * What a person may give while a channel is linked, with the state of the channel that awaits it. `pairingCode`: a phone
 * number, answered with the code that is typed on that phone. `phone`: a phone number that the messenger sends a code to,
 * instead of a QR code that is scanned. `code`: that code. `password`: the two-factor password.
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

/** What the person is shown; what follows otherwise are states of the link. */
export interface LoginReply {
  /** Of `pairingCode`: the code, and the number that it is for. */
  readonly code?: string;
  readonly phone?: string;
}
