import type { Base } from "../base.ts";

// What the parties of a sign-in show. All are derived from the ticket of the visit, which never leaves the service, and
// each starts with the id of the channel or visit.
type Sealed = Pick<Base, "seal">;

/** In the address where a sign-in starts: admits a browser to the messenger's dialog. */
export function startProof({ seal }: Sealed, ticket: string): string {
  return `${idOf(ticket)}.${seal.derive("sign-in start", ticket).toString("base64url")}`;
}

/**
 * The `state` at the messenger: valid only together with the secret of the browser that started. Ends with the name of the
 * cell, if it has one.
 */
export function stateProof(
  { seal, settings: { cell } }: Sealed & Pick<Base, "settings">,
  ticket: string,
  browser: string,
): string {
  const proof = seal.derive("sign-in state", ticket, browser).toString("base64url");
  return [idOf(ticket), proof, ...(cell === null ? [] : [cell])].join(".");
}

/** The cell in which the sign-in of a `state` started; null if it names none. */
export function cellOfState(state: string): string | null {
  return /^[\w-]+\.[\w-]+\.([a-z][a-z0-9]{0,7})$/.exec(state)?.[1] ?? null;
}

/** Returned by the page after the person has agreed: changes with the names that the page showed. */
export function agreementProof({ seal }: Sealed, state: string, shown: readonly string[]): string {
  return seal.derive("sign-in agreement", state, ...shown).toString("base64url");
}

/** The id of the channel, or of the visit, in a ticket or proof. */
export function idOf(proof: string): string {
  return proof.split(".", 1)[0] ?? "";
}
