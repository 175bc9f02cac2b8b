import type { Companion } from "../person/companion.ts";
import type { Person } from "../person/person.ts";
import { type Node, node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";

/** Everybody who writes with a person hears that a device was linked or unlinked. */
export function tellDeviceChange(world: World, companion: Companion, action: "add" | "remove"): void {
  const { person, device, keyIndex } = companion;
  const t = seconds(world.nowMs());
  const changed = node("device", { jid: companion.jid, lid: companion.lid, "key-index": String(keyIndex) });
  const content = node(action, { device_hash: `2:sandbox${device}` }, [
    changed,
    node("key-index-list", { ts: t }),
  ]);
  tellPeers(world, person, { type: "devices", lid: person.lidJid }, content, companion);
}

/** Everybody who writes with a person hears that the keys of the phone are new. */
export function tellNewIdentity(world: World, person: Person): void {
  tellPeers(world, person, { type: "encrypt", lid: person.lidJid }, node("identity"));
}

function tellPeers(
  world: World,
  person: Person,
  attributes: { readonly type: string; readonly lid: string },
  content: Node,
  except?: Companion,
): void {
  const peers = world.companions().filter((each) => each !== except && isPeer(world, each.person, person));
  for (const peer of peers)
    peer.deliver(
      node(
        "notification",
        { from: person.jid, id: world.newMessageId(), t: seconds(world.nowMs()), ...attributes },
        [content],
      ),
    );
}

/** The account's own devices, those who have a conversation with it, and members of the same groups. */
function isPeer(world: World, other: Person, person: Person): boolean {
  if (other === person || other.chats.has(person.phone)) return true;
  return [...world.groups.values()].some(
    ({ members }) => members.has(other.phone) && members.has(person.phone),
  );
}
