import type { Connection } from "../connection.ts";
import type { Registration } from "../link/registration.ts";
import type { Companion } from "../person/person.ts";
import type { Node } from "../wire/node.ts";
import type { World } from "../world.ts";

/** A query of a client. */
export interface IqCall {
  readonly world: World;
  readonly connection: Connection;
  /** The device that asks, once logged in. */
  readonly companion: Companion | undefined;
  /** The client that asks, before it is linked. */
  readonly registration: Registration | undefined;
  readonly stanza: Node;
  /** Its first child. */
  readonly first: Node | undefined;
  /** Runs the work after the response was sent. */
  readonly afterwards: (work: () => void) => void;
}

/** Returns the content of the response; throws `IqError` to refuse. */
export type IqHandler = (call: IqCall) => Node[] | undefined | Promise<Node[] | undefined>;

/** The response to a query is an error. */
export class IqError extends Error {
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

export const notFound = () => new IqError(404, "item-not-found");
export const notAllowed = () => new IqError(403, "forbidden");
/** A member without the rights of an administrator. */
export const notAdmin = () => new IqError(401, "not-authorized");
/** A part of a known namespace that the emulator does not support. */
export const notDone = () => new IqError(501, "feature-not-implemented");

/** The linked device that asks; throws for other clients. */
export function needCompanion({ companion }: IqCall): Companion {
  if (!companion) throw notAllowed();
  return companion;
}
