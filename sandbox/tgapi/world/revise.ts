import type { Session } from "../mtproto/session.ts";
import { wrapUpdates } from "../render/updates.ts";
import { groupOf, membersOf, personById } from "./directory.ts";
import type { Group } from "./group.ts";
import { dialogOf, type Letter } from "./letter.ts";
import { type Change, type Mailbox, noteChange } from "./mailbox.ts";
import type { PeerRef } from "./peer.ts";
import type { Person } from "./person.ts";
import { openDialog } from "./post.ts";
import { pushChange, pushGroupChange, pushUpdates } from "./push.ts";
import { kindOf } from "./summary.ts";
import type { World } from "./world.ts";

/** Edits a message for everyone who has a copy. Returns the change for the person who edited it. */
export function edit(
  world: World,
  letter: Letter,
  {
    by,
    origin,
    ...content
  }: Partial<Pick<Letter, "text" | "entities" | "media" | "markup">> & {
    readonly by: Person;
    readonly origin?: Session | undefined;
  },
): Change {
  Object.assign(letter, content, { editDate: world.clock.now() });
  world.changed();
  for (const reader of holdersOf(world, letter))
    if (reader !== by) noteAct(world, reader, { letter, action: "edit" });
  const group = groupOf(world, letter.to);
  if (group?.kind === "channel") {
    const change = noteChange(group.mailbox, world.clock.now(), { kind: "edit", id: letter.ids.get(0) ?? 0 });
    pushGroupChange(world, group, change, origin);
    return change;
  }
  const changes = holdersOf(world, letter).map((holder) => {
    const id = letter.ids.get(holder.id) ?? 0;
    const change = noteChange(holder.mailbox, world.clock.now(), { kind: "edit", id });
    pushChange(world, holder, { change, origin });
    return [holder, change] as const;
  });
  return changes.find(([holder]) => holder === by)?.[1] ?? noChange(by.mailbox, world);
}

/** Deletes messages from an account's mailbox, and with `revoke` from those of all others too. */
export function remove(
  world: World,
  letters: readonly Letter[],
  {
    by,
    revoke,
    origin,
  }: { readonly by: Person; readonly revoke: boolean; readonly origin?: Session | undefined },
): Change {
  const others = revoke ? new Set(letters.flatMap((letter) => holdersOf(world, letter))) : new Set<Person>();
  others.delete(by);
  for (const other of others) {
    for (const letter of letters) noteAct(world, other, { letter, action: "delete" });
    takeOut(world, other, letters, undefined);
  }
  return takeOut(world, by, letters, origin) ?? noChange(by.mailbox, world);
}

/** Deletes messages from a supergroup. */
export function removeFromGroup(
  world: World,
  group: Group,
  { ids, origin }: { readonly ids: readonly number[]; readonly origin?: Session | undefined },
): Change {
  const present = ids.filter((id) => group.mailbox.letters.delete(id));
  if (present.length === 0) return noChange(group.mailbox, world);
  const change = noteChange(group.mailbox, world.clock.now(), { kind: "delete", ids: present });
  pushGroupChange(world, group, change, origin);
  world.changed();
  return change;
}

/** An account has read a conversation up to a message. The clients of both sides are notified. */
export function readUpTo(
  world: World,
  reader: Person,
  {
    peer,
    maxId,
    origin,
  }: { readonly peer: PeerRef; readonly maxId: number; readonly origin?: Session | undefined },
): Change | undefined {
  const dialog = openDialog(reader, peer);
  if (maxId <= dialog.readInbox) return undefined;
  const read = lettersUpTo(world, reader, { peer, after: dialog.readInbox, maxId });
  dialog.readInbox = maxId;
  world.changed();
  const authors = new Map<number, Letter>();
  for (const letter of read) if (letter.from !== reader.id) authors.set(letter.from, letter);
  if (peer.kind === "channel") return readChannel(world, reader, { peer, maxId, origin });
  for (const [id, newest] of authors) markRead(world, personById(world, id), { newest, reader });
  const unread = unreadIn(world, reader, peer);
  const what = { kind: "readInbox", peer, maxId, unread } as const;
  const change = noteChange(reader.mailbox, world.clock.now(), what);
  pushChange(world, reader, { change, origin });
  return change;
}

/** The number of the other side's messages newer than the last one read. */
export function unreadIn(world: World, owner: Person, peer: PeerRef): number {
  const { readInbox } = openDialog(owner, peer);
  const newer = lettersUpTo(world, owner, { peer, after: readInbox, maxId: Number.MAX_SAFE_INTEGER });
  return newer.filter(({ from }) => from !== owner.id).length;
}

/** The mailbox that contains the messages of a conversation. */
function mailboxFor(world: World, owner: Person, peer: PeerRef): Mailbox {
  const group = groupOf(world, peer);
  return group?.kind === "channel" ? group.mailbox : owner.mailbox;
}

/** The messages of a conversation in a range of ids, oldest first. */
export function lettersUpTo(
  world: World,
  owner: Person,
  { peer, after, maxId }: { readonly peer: PeerRef; readonly after: number; readonly maxId: number },
): Letter[] {
  const found: Letter[] = [];
  for (const [id, number] of mailboxFor(world, owner, peer).letters) {
    if (id <= after || id > maxId) continue;
    const letter = world.state.letters.get(number);
    if (!letter) continue;
    const dialog = peer.kind === "channel" ? peer : dialogOf(letter, owner.id);
    if (dialog.kind === peer.kind && dialog.id === peer.id) found.push(letter);
  }
  return found;
}

/** Everyone who has a copy of a message, or could read it. */
export function holdersOf(world: World, letter: Letter): Person[] {
  const group = groupOf(world, letter.to);
  if (group?.kind === "channel") return membersOf(world, group);
  return [...letter.ids.keys()].flatMap((id) => world.state.people.get(id) ?? []);
}

function readChannel(
  world: World,
  reader: Person,
  {
    peer,
    maxId,
    origin,
  }: { readonly peer: PeerRef; readonly maxId: number; readonly origin?: Session | undefined },
): undefined {
  const group = groupOf(world, peer);
  if (!group) return;
  const own = {
    channelId: peer.id,
    maxId,
    stillUnreadCount: unreadIn(world, reader, peer),
    pts: group.mailbox.pts,
  };
  pushUpdates(world, reader, wrapUpdates(world, reader, [{ _: "updateReadChannelInbox", ...own }]), origin);
  if (maxId <= group.readOutbox) return;
  group.readOutbox = maxId;
  for (const member of membersOf(world, group)) {
    if (member === reader) continue;
    const update = { _: "updateReadChannelOutbox", channelId: peer.id, maxId } as const;
    pushUpdates(world, member, wrapUpdates(world, member, [update]));
  }
}

/** Notifies the author of messages that they were read. */
function markRead(
  world: World,
  author: Person,
  { newest, reader }: { readonly newest: Letter; readonly reader: Person },
): void {
  const maxId = newest.ids.get(author.id);
  const peer = dialogOf(newest, author.id);
  const dialog = openDialog(author, peer);
  if (maxId === undefined || maxId <= dialog.readOutbox) return;
  dialog.readOutbox = maxId;
  noteAct(world, author, { letter: newest, action: "read", by: reader });
  const change = noteChange(author.mailbox, world.clock.now(), { kind: "readOutbox", peer, maxId });
  pushChange(world, author, { change });
}

function takeOut(
  world: World,
  owner: Person,
  letters: readonly Letter[],
  origin: Session | undefined,
): Change | undefined {
  const ids = letters.flatMap((letter) => letter.ids.get(owner.id) ?? []);
  const present = ids.filter((id) => owner.mailbox.letters.delete(id));
  for (const letter of letters) letter.ids.delete(owner.id);
  if (present.length === 0) return undefined;
  const change = noteChange(owner.mailbox, world.clock.now(), { kind: "delete", ids: present });
  pushChange(world, owner, { change, origin });
  world.changed();
  return change;
}

function noteAct(
  world: World,
  reader: Person,
  {
    letter,
    action,
    by,
  }: { readonly letter: Letter; readonly action: "edit" | "delete" | "read"; readonly by?: Person },
): void {
  world.inboxOf(reader.id).append({
    at: world.stamp(),
    action,
    from: by?.phone ?? world.phoneOf(letter.from) ?? null,
    chat: world.nameOfPeer(dialogOf(letter, reader.id)),
    message_ids: [letter.ids.get(letter.to.kind === "channel" ? 0 : reader.id) ?? 0],
    kind: kindOf(world, letter),
    text: letter.text,
  });
}

/** No change: the present counter. */
function noChange(box: Mailbox, world: World): Change {
  return { pts: box.pts, count: 0, date: world.clock.now(), what: { kind: "delete", ids: [] } };
}
