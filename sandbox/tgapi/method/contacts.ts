import type { tl } from "@mtcute/core";
import { collectPeers } from "../render/peers.ts";
import { wrapUpdates } from "../render/updates.ts";
import { renderUser } from "../render/user.ts";
import type { Call, Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { resolvePeer, resolveUser } from "../rpc/peer.ts";
import { findByPhone, findByUsername } from "../world/directory.ts";
import { peerOfGroup } from "../world/group.ts";
import { type PeerRef, toTlPeer } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import { pushPassing } from "../world/push.ts";

export const contactsMethods = {
  "contacts.resolveUsername"({ username }, call) {
    if (!/^[a-z][a-z0-9_]{2,31}$/i.test(username)) throw bad("USERNAME_INVALID");
    const person = findByUsername(call.world, username);
    if (person && person.status !== "deactivated") return resolved(call, { kind: "user", id: person.id });
    const wanted = username.toLowerCase();
    const group = [...call.world.state.groups.values()].find(
      (each) => each.username?.toLowerCase() === wanted,
    );
    if (!group) throw bad("USERNAME_NOT_OCCUPIED");
    return resolved(call, peerOfGroup(group));
  },

  "contacts.resolvePhone"({ phone }, call) {
    const person = findReachable(call, phone);
    if (!person) throw bad("PHONE_NOT_OCCUPIED");
    return resolved(call, { kind: "user", id: person.id });
  },

  "contacts.importContacts"({ contacts }, call) {
    const { world, person: owner } = call;
    const imported: tl.RawImportedContact[] = [];
    for (const { clientId, phone, firstName, lastName } of contacts) {
      const person = findReachable(call, phone);
      if (!person) continue;
      owner.contacts.set(person.id, { firstName, lastName });
      imported.push({ _: "importedContact", userId: person.id, clientId });
    }
    world.changed();
    const { users } = collectPeers(world, owner, imported);
    return { _: "contacts.importedContacts", imported, popularInvites: [], retryContacts: [], users };
  },

  "contacts.addContact"({ id, firstName, lastName }, call) {
    if (firstName === "") throw bad("CONTACT_NAME_EMPTY");
    const person = resolveUser(call, id);
    call.person.contacts.set(person.id, { firstName, lastName });
    return tellContacts(call, [person]);
  },

  "contacts.deleteContacts"({ id }, call) {
    const people = id.map((each) => resolveUser(call, each));
    for (const each of people) call.person.contacts.delete(each.id);
    return tellContacts(call, people);
  },

  "contacts.getContacts"(_, { world, person }) {
    const known = [...person.contacts.keys()].flatMap((id) => world.state.people.get(id) ?? []);
    return {
      _: "contacts.contacts",
      contacts: known.map(({ id, contacts }) => ({
        _: "contact",
        userId: id,
        mutual: contacts.has(person.id),
      })),
      savedCount: 0,
      users: known.map((each) => renderUser(world, person, each)),
    };
  },

  "contacts.block": ({ id }, call) => block(call, id, true),
  "contacts.unblock": ({ id }, call) => block(call, id, false),
} satisfies Methods;

/** The person with this number, if others can find them by it; their own contacts always can. */
function findReachable({ world, person: viewer }: Call, phone: string): Person | undefined {
  const person = findByPhone(world, phone);
  if (!person || person.isBot || person.status === "deactivated") return undefined;
  return !person.hidesPhone || person.contacts.has(viewer.id) || person === viewer ? person : undefined;
}

function resolved({ world, person }: Call, ref: PeerRef): tl.contacts.RawResolvedPeer {
  const peer = toTlPeer(ref);
  return { _: "contacts.resolvedPeer", peer, ...collectPeers(world, person, [peer]) };
}

/** Other clients of the account are notified of changed contacts too. */
function tellContacts({ world, person }: Call, people: readonly Person[]): tl.RawUpdates {
  const updates = people.map(
    ({ id }) =>
      ({
        _: "updatePeerSettings",
        peer: { _: "peerUser", userId: id },
        settings: { _: "peerSettings" },
      }) as const,
  );
  world.changed();
  return wrapUpdates(world, person, updates);
}

function block(call: Call, input: tl.TypeInputPeer, blocked: boolean): true {
  const peer = resolvePeer(call, input);
  if (peer.kind !== "user") throw bad("PEER_ID_INVALID");
  if (blocked) call.person.blocked.add(peer.id);
  else call.person.blocked.delete(peer.id);
  call.world.changed();
  pushPassing(call.world, call.person, { _: "updatePeerBlocked", blocked, peerId: toTlPeer(peer) });
  return true;
}
