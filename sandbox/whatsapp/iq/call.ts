import type { Connection } from "../connection.ts";
import type { Registration } from "../link/registration.ts";
import type { Companion } from "../person/person.ts";
import type { Node } from "../wire/node.ts";
import type { World } from "../world.ts";

/** A query of a client. */
export interface IqCall {
  readonly world: World;
  readonly connection: Connection;
  /** Who asks, once logged in. */
  readonly companion: Companion | undefined;
  /** Who asks, while not linked yet. */
  readonly registration: Registration | undefined;
  readonly stanza: Node;
  /** Its first part. */
  readonly first: Node | undefined;
  /** Runs after the answer was sent. */
  readonly afterwards: (work: () => void) => void;
}

/** Returns the content of the answer; throws `IqError` to refuse. */
export type IqHandler = (call: IqCall) => Node[] | undefined | Promise<Node[] | undefined>;

/** The answer to a query is an error. */
export class IqError extends Error {
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

export const notFound = () => new IqError(404, "item-not-found");
export const notAllowed = () => new IqError(403, "forbidden");
/** For a part of a known namespace that the emulator does not do. */
export const notDone = () => new IqError(501, "feature-not-implemented");

/** The linked device that asks; others may not. */
export function needCompanion({ companion }: IqCall): Companion {
  if (!companion) throw notAllowed();
  return companion;
}
