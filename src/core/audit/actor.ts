import { AsyncLocalStorage } from "node:async_hooks";

/** Who changes something. */
export interface Actor {
  /**
   * `operator`: the command line; `console`: somebody who signed in to it; `token`: a token that an operator issued; `application`: a token of OAuth; `partner`:
   * with its password; `page`: a person on a page for one channel; `service`: the service by itself.
   */
  readonly kind: "operator" | "console" | "token" | "application" | "partner" | "page" | "service";
  /** Name of the user of the system, what somebody signs in with, id of the token, the OAuth client or the partner; "" where there is none. */
  readonly id: string;
  /** Address of the client, or name of the machine. */
  readonly from: string;
}

const SERVICE: Actor = { kind: "service", id: "", from: "" };
const actors = new AsyncLocalStorage<Actor>();

/** Runs the work, and what it starts, in the name of the actor. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work);
}

/** In whose name the caller runs; the service's where nobody was named. */
export function currentActor(): Actor {
  return actors.getStore() ?? SERVICE;
}
