import type { Group } from "../group.ts";
import type { Companion, Person } from "../person/person.ts";
import type { Node } from "../wire/node.ts";

/** A message stanza of a linked device, taken apart. */
export interface OutgoingStanza {
  readonly id: string;
  readonly to: string;
  readonly from: Companion;
  /** Where it goes: a person, a group; undefined when nobody is there. */
  readonly chat: Person | Group | undefined;
  readonly stanza: Node;
  /** What is encrypted for single devices. */
  readonly parts: readonly Part[];
  /** What is encrypted for a whole group. */
  readonly groupText: Buffer | undefined;
}

/** What a stanza holds for one device. */
export interface Part {
  readonly jid: string;
  readonly device: number;
  readonly person: Person | undefined;
  readonly enc: Node;
}
