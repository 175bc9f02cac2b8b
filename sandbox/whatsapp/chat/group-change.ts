import type { Group } from "../group.ts";
import type { Person } from "../person/person.ts";
import type { Picture } from "../person/picture.ts";
import { type Node, node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";
import { describeGroup } from "./group-stanza.ts";

/** The changes of a group. */
export type GroupChange =
  | { readonly action: "create" }
  | { readonly action: "add" | "remove" | "promote" | "demote"; readonly people: readonly Person[] }
  | { readonly action: "subject" | "description"; readonly value: string }
  | { readonly action: "announcement" | "not_announcement" | "locked" | "unlocked" };

/** Changes a group and notifies the linked devices of everyone who is or was a member. */
export function changeGroup(world: World, group: Group, change: GroupChange & { readonly by: Person }): void {
  const before = world.membersOf(group);
  apply(world, group, change);
  if (change.action === "remove") renewKeys(world, group, before);
  const told = new Set([...before, ...world.membersOf(group)]);
  for (const person of told)
    for (const companion of person.companions.values()) {
      companion.deliver(
        node(
          "notification",
          {
            from: group.id,
            type: "w:gp2",
            id: world.newMessageId(),
            participant: change.by.lidJid,
            participant_pn: change.by.jid,
            notify: change.by.name,
            addressing_mode: "lid",
            t: seconds(world.nowMs()),
          },
          [describe(world, group, change)],
        ),
      );
    }
  world.changed();
}

/** Sets or removes a group's picture, and notifies the members' linked devices. */
export function changePicture(
  world: World,
  group: Group,
  { by, picture }: { readonly by: Person; readonly picture: Picture | undefined },
): void {
  group.picture = picture;
  const about = { author: by.lidJid, jid: group.id };
  const content = picture === undefined ? node("delete", about) : node("set", { id: picture.id, ...about });
  for (const person of world.membersOf(group))
    for (const companion of person.companions.values())
      companion.deliver(
        node(
          "notification",
          { from: group.id, type: "picture", id: world.newMessageId(), t: seconds(world.nowMs()) },
          [content],
        ),
      );
  world.changed();
}

/** Former members must not be able to read later messages. */
function renewKeys(world: World, group: Group, members: readonly Person[]): void {
  for (const person of members) person.renewGroupKey(group.id);
  for (const companion of world.companions())
    for (const name of companion.senderKeys)
      if (name.startsWith(`${group.id} `)) companion.senderKeys.delete(name);
}

function apply(world: World, group: Group, change: GroupChange & { readonly by: Person }): void {
  switch (change.action) {
    case "create":
      return;
    case "add":
      for (const { phone } of change.people) {
        group.members.set(phone, group.members.get(phone));
        group.left.delete(phone);
      }
      return;
    case "remove":
      for (const { phone } of change.people) {
        group.members.delete(phone);
        if (phone === change.by.phone) group.left.add(phone);
      }
      return;
    case "promote":
    case "demote":
      for (const { phone } of change.people)
        group.members.set(phone, change.action === "promote" ? "admin" : undefined);
      return;
    case "subject":
      group.subject = change.value;
      group.subjectMs = world.nowMs();
      group.subjectBy = change.by.phone;
      return;
    case "description":
      group.description = change.value === "" ? undefined : change.value;
      return;
    case "announcement":
    case "not_announcement":
      group.announce = change.action === "announcement";
      return;
    case "locked":
    case "unlocked":
      group.locked = change.action === "locked";
  }
}

function describe(world: World, group: Group, change: GroupChange): Node {
  switch (change.action) {
    case "create":
      return node("create", { type: "new" }, [describeGroup(world, group)]);
    case "add":
    case "remove":
    case "promote":
    case "demote":
      return node(
        change.action,
        {},
        change.people.map(({ lidJid, jid }) => node("participant", { jid: lidJid, phone_number: jid })),
      );
    case "subject":
      return node("subject", { subject: change.value, s_t: seconds(world.nowMs()) });
    case "description":
      if (change.value === "") return node("description", { id: world.newMessageId(), delete: "true" });
      return node("description", { id: world.newMessageId() }, [node("body", {}, Buffer.from(change.value))]);
    default:
      return node(change.action);
  }
}
