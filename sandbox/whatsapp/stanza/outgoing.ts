import type { Group } from "../group.ts";
import type { Companion, Person } from "../person/person.ts";
import type { Node } from "../wire/node.ts";

/** A parsed message stanza of a linked device. */
export interface OutgoingStanza {
  readonly id: string;
  readonly to: string;
  readonly from: Companion;
  /** The recipient: a person or a group; undefined if it does not exist. */
  readonly chat: Person | Group | undefined;
  readonly stanza: Node;
  /** The parts encrypted for single devices. */
  readonly parts: readonly Part[];
  /** The part encrypted for a whole group. */
  readonly groupText: Buffer | undefined;
}

/** The part of a stanza for one device. */
export interface Part {
  readonly jid: string;
  readonly device: number;
  readonly person: Person | undefined;
  readonly enc: Node;
}
