import { missing } from "../../http/fields.ts";
import { findByPhone, groupByMarkedId } from "../world/directory.ts";
import { peerOfGroup } from "../world/group.ts";
import type { PeerRef } from "../world/peer.ts";
import type { World } from "../world/world.ts";

/**
 * A conversation in the admin API: a person's phone number, or the marked id of a group. Throws 404 if it is unknown.
 */
export function needPeer(world: World, name: string): PeerRef {
  if (name.startsWith("-")) return peerOfGroup(groupByMarkedId(world, Number(name)));
  const person = findByPhone(world, name);
  if (!person) throw missing("person", name);
  return { kind: "user", id: person.id };
}
