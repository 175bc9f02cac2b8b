import { AsyncLocalStorage } from "node:async_hooks";

/** Who makes a change. */
export interface Actor {
  /**
   * `operator`: the command line; `console`: a person signed in to the console; `token`: a token issued by an
   * operator; `application`: an OAuth token; `partner`: its password; `page`: a person on the connect page of a
   * channel, or an employee on the chat page; `service`: the service itself.
   */
  readonly kind: "operator" | "console" | "token" | "application" | "partner" | "page" | "service";
  /**
   * The system user's name, the login, or the id of the token, the OAuth client, the partner or the employee; "" if
   * there is none.
   */
  readonly id: string;
  /** The client's address, or the machine's name. */
  readonly from: string;
}

const SERVICE: Actor = { kind: "service", id: "", from: "" };
const actors = new AsyncLocalStorage<Actor>();

/** Runs the work, and everything it starts, with this actor. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work);
}

/** The caller's actor; the service's if none was set. */
export function currentActor(): Actor {
  return actors.getStore() ?? SERVICE;
}
