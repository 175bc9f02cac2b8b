import { groupOf } from "./directory.ts";
import { dialogOf, type Letter } from "./letter.ts";
import { type PeerRef, samePeer } from "./peer.ts";
import type { Person } from "./person.ts";
import type { World } from "./world.ts";

/** A message of an account's conversation by its id there. */
export function letterAt(world: World, owner: Person, peer: PeerRef, id: number): Letter | undefined {
  const group = groupOf(world, peer);
  if (group?.kind === "channel") return numbered(world, group.mailbox.letters.get(id));
  const letter = ownLetter(world, owner, id);
  return letter && samePeer(dialogOf(letter, owner.id), peer) ? letter : undefined;
}

/** A message of an account's own mailbox, in any conversation. */
export function ownLetter(world: World, owner: Person, id: number): Letter | undefined {
  return numbered(world, owner.mailbox.letters.get(id));
}

function numbered(world: World, number: number | undefined): Letter | undefined {
  return number === undefined ? undefined : world.state.letters.get(number);
}
