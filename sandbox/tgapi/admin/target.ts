import { missing } from "../../http/fields.ts";
import { findByPhone, groupByMarkedId } from "../world/directory.ts";
import { peerOfGroup } from "../world/group.ts";
import type { PeerRef } from "../world/peer.ts";
import type { World } from "../world/world.ts";

/** What the admin API calls a conversation: a person's phone number, or the marked id of a group. 404 when unknown. */
export function needPeer(world: World, name: string): PeerRef {
  if (name.startsWith("-")) return peerOfGroup(groupByMarkedId(world, Number(name)));
  const person = findByPhone(world, name);
  if (!person) throw missing("person", name);
  return { kind: "user", id: person.id };
}
