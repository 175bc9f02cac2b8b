import { tellPeers } from "../person/peers.ts";
import type { Companion, Person } from "../person/person.ts";
import { node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";

/** Notifies a person's contacts that a device was linked or unlinked. */
export function tellDeviceChange(world: World, companion: Companion, action: "add" | "remove"): void {
  const { person, device, keyIndex } = companion;
  const t = seconds(world.nowMs());
  const changed = node("device", { jid: companion.jid, lid: companion.lid, "key-index": String(keyIndex) });
  const content = node(action, { device_hash: `2:sandbox${device}` }, [
    changed,
    node("key-index-list", { ts: t }),
  ]);
  tellPeers(world, person, { type: "devices", content, except: companion });
}

/** Notifies a person's contacts that the keys of the phone have changed. */
export function tellNewIdentity(world: World, person: Person): void {
  tellPeers(world, person, { type: "encrypt", content: node("identity") });
}
