import type { tl } from "@mtcute/core";
import type { AuthKey } from "../mtproto/auth-key.ts";
import type { Session } from "../mtproto/session.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";
import { RpcError } from "./error.ts";

/** The caller of a method, and its context. */
export class Call {
  readonly world: World;
  readonly session: Session;

  constructor(world: World, session: Session) {
    this.world = world;
    this.session = session;
  }

  get key(): AuthKey {
    return this.session.key;
  }

  /** The account that is logged in; throws 401 if there is none. */
  get person(): Person {
    const person = this.loggedIn;
    if (!person) throw new RpcError(401, "AUTH_KEY_UNREGISTERED");
    return person;
  }

  get loggedIn(): Person | undefined {
    const { userId } = this.key;
    return userId === undefined ? undefined : this.world.state.people.get(userId);
  }
}

type Request<M> = Extract<tl.RpcMethod, { readonly _: M }>;

/** The emulated methods, with request and response types of the schema. */
export type Methods = {
  readonly [M in keyof tl.RpcCallReturn]?: (
    request: Request<M>,
    call: Call,
  ) => tl.RpcCallReturn[M] | Promise<tl.RpcCallReturn[M]>;
};
