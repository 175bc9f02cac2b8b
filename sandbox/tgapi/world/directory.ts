import { AdminError, invalid, missing } from "../../http/fields.ts";
import { type Group, newGroup } from "./group.ts";
import { type PeerRef, peerOfMarkedId } from "./peer.ts";
import { newPerson, type Person } from "./person.ts";
import type { World } from "./world.ts";

/** Creates a person; a known number is changed. */
export function putPerson(world: World, setup: Partial<Person> & { readonly phone: string }): Person {
  if (!/^\d{5,20}$/.test(setup.phone)) throw invalid("phone", "5 to 20 digits");
  const taken = setup.username === undefined ? undefined : findByUsername(world, setup.username);
  if (taken && taken.phone !== setup.phone)
    throw new AdminError(409, "exists", `@${setup.username} is somebody else's`);
  const known = findByPhone(world, setup.phone);
  if (known) Object.assign(known, setup);
  const id = setup.id ?? world.state.nextPerson++;
  if (!known && world.state.people.has(id)) throw new AdminError(409, "exists", `there is already a ${id}`);
  const person = known ?? newPerson({ homeDc: world.dataCentres[0]?.id ?? 2, ...setup, id });
  world.state.people.set(person.id, person);
  world.changed();
  return person;
}

export function findByPhone(world: World, phone: string): Person | undefined {
  const digits = phone.replaceAll(/\D/g, "");
  return [...world.state.people.values()].find((person) => person.phone === digits);
}

export function findByUsername(world: World, username: string): Person | undefined {
  const wanted = username.toLowerCase();
  return [...world.state.people.values()].find((person) => person.username?.toLowerCase() === wanted);
}

/** 404 if no person has this number. */
export function personByPhone(world: World, phone: string): Person {
  const person = findByPhone(world, phone);
  if (!person) throw missing("person", phone);
  return person;
}

/** The person with this id, which must exist. */
export function personById(world: World, id: number): Person {
  const person = world.state.people.get(id);
  if (!person) throw missing("person", id);
  return person;
}

export function addGroup(
  world: World,
  setup: Pick<Group, "kind" | "title" | "creator"> & { readonly id?: number | undefined },
): Group {
  const id = setup.id ?? world.state.nextGroup++;
  if (world.state.groups.has(id)) throw new AdminError(409, "exists", `there is already a group ${id}`);
  const group = newGroup({ ...setup, id, date: world.clock.now() });
  group.members.set(setup.creator, { role: "creator", invitedBy: setup.creator, date: group.date });
  world.state.groups.set(id, group);
  world.changed();
  return group;
}

/** The group of a peer, if it is one. */
export function groupOf(world: World, peer: PeerRef): Group | undefined {
  const group = peer.kind === "user" ? undefined : world.state.groups.get(peer.id);
  return group?.kind === peer.kind ? group : undefined;
}

/** By the marked id of the admin API; throws 404 if it is unknown. */
export function groupByMarkedId(world: World, marked: number): Group {
  const group = groupOf(world, peerOfMarkedId(marked));
  if (!group) throw missing("group", marked);
  return group;
}

/** The members of a group, in the order of joining. */
export function membersOf(world: World, group: Group): Person[] {
  return [...group.members.keys()].flatMap((id) => world.state.people.get(id) ?? []);
}
