import { type Node, node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";
import type { Companion, Person } from "./person.ts";

/** A notification about a person: its type and content. */
export interface PersonNews {
  readonly type: string;
  readonly content: Node;
  /** A device that is not notified. */
  readonly except?: Companion;
}

/** Notifies the linked devices of a person's peers, and the person's own. */
export function tellPeers(world: World, person: Person, { type, content, except }: PersonNews): void {
  const peers = world.companions().filter((each) => each !== except && isPeer(world, each.person, person));
  for (const peer of peers)
    peer.deliver(
      node(
        "notification",
        { from: person.jid, lid: person.lidJid, id: world.newMessageId(), t: seconds(world.nowMs()), type },
        [content],
      ),
    );
}

/** The account itself, people in a conversation with it, and members of the same groups. */
function isPeer(world: World, other: Person, person: Person): boolean {
  if (other === person || other.chats.has(person.phone)) return true;
  return [...world.groups.values()].some(
    ({ members }) => members.has(other.phone) && members.has(person.phone),
  );
}
