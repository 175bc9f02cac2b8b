import type { Session } from "../mtproto/session.ts";
import { groupOf, membersOf, personById } from "./directory.ts";
import type { Group } from "./group.ts";
import { type Draft, dialogOf, type Letter, newLetter } from "./letter.ts";
import { type Change, noteChange } from "./mailbox.ts";
import { keyOfPeer, type PeerRef } from "./peer.ts";
import type { Dialog, Person } from "./person.ts";
import { pushChange, pushGroupChange } from "./push.ts";
import { kindOf } from "./summary.ts";
import type { World } from "./world.ts";

/** A stored message, and the resulting change for its author (or for the supergroup). */
export interface Posted {
  readonly letter: Letter;
  readonly change: Change;
}

/** Writes a message: each participant gets a copy and is notified, except the client that wrote it. */
export function post(world: World, draft: Draft, origin?: Session): Posted {
  const letter = newLetter(world.state.nextLetter++, draft, world.clock.now());
  world.state.letters.set(letter.number, letter);
  const author = personById(world, letter.from);
  const group = groupOf(world, letter.to);
  const change =
    group?.kind === "channel"
      ? postToChannel(world, letter, { group, origin })
      : postCopies(world, letter, { author, origin });
  for (const reader of readersOf(world, letter)) noteInbox(world, reader, letter);
  world.changed();
  return { letter, change };
}

/** The other accounts that get a message. Those who blocked its author do not, without notice to the author. */
function readersOf(world: World, letter: Letter): Person[] {
  const group = groupOf(world, letter.to);
  if (group) return membersOf(world, group).filter(({ id }) => id !== letter.from);
  const reader = personById(world, letter.to.id);
  return reader.id === letter.from || reader.blocked.has(letter.from) ? [] : [reader];
}

function postCopies(
  world: World,
  letter: Letter,
  { author, origin }: { readonly author: Person; readonly origin: Session | undefined },
): Change {
  const own = addCopy(world, author, letter);
  pushChange(world, author, { change: own.change, origin, ...(own.isKnown && { short: letter }) });
  for (const reader of readersOf(world, letter)) {
    const { change, isKnown } = addCopy(world, reader, letter);
    pushChange(world, reader, { change, ...(isKnown && { short: letter }) });
  }
  return own.change;
}

function addCopy(world: World, owner: Person, letter: Letter): { change: Change; isKnown: boolean } {
  const { mailbox } = owner;
  const id = mailbox.nextId++;
  mailbox.letters.set(id, letter.number);
  letter.ids.set(owner.id, id);
  const dialog = openDialog(owner, dialogOf(letter, owner.id));
  const isKnown = dialog.topId > 0;
  dialog.topId = id;
  return { change: noteChange(mailbox, world.clock.now(), { kind: "new", id }), isKnown };
}

function postToChannel(
  world: World,
  letter: Letter,
  { group, origin }: { readonly group: Group; readonly origin: Session | undefined },
): Change {
  const { mailbox } = group;
  const id = mailbox.nextId++;
  mailbox.letters.set(id, letter.number);
  letter.ids.set(0, id);
  for (const member of membersOf(world, group)) openDialog(member, letter.to).topId = id;
  const change = noteChange(mailbox, world.clock.now(), { kind: "new", id });
  pushGroupChange(world, group, change, origin);
  return change;
}

/** The conversation of an account with a peer; created if it does not exist. */
export function openDialog(owner: Person, peer: PeerRef): Dialog {
  const key = keyOfPeer(peer);
  const dialog = owner.dialogs.get(key) ?? { peer, topId: 0, readInbox: 0, readOutbox: 0 };
  owner.dialogs.set(key, dialog);
  return dialog;
}

function noteInbox(world: World, reader: Person, letter: Letter): void {
  world.inboxOf(reader.id).append({
    at: world.stamp(),
    action: "message",
    from: world.phoneOf(letter.from) ?? null,
    chat: world.nameOfPeer(dialogOf(letter, reader.id)),
    message_ids: [letter.ids.get(letter.to.kind === "channel" ? 0 : reader.id) ?? 0],
    kind: kindOf(world, letter),
    text: letter.text,
  });
}
