import { changeGroup } from "../chat/group-change.ts";
import { describeGroup } from "../chat/group-stanza.ts";
import type { Group } from "../group.ts";
import { isGroupJid } from "../wire/jid.ts";
import { children, type Node, node } from "../wire/node.ts";
import { type IqCall, needCompanion, notAllowed, notDone, notFound } from "./call.ts";
import { createGroup, readInvite, useInvite, writeGroup } from "./group-write.ts";

/** Groups: reading, listing, creating, changing and leaving them. */
export function answerGroup(call: IqCall): Node[] | undefined {
  const { stanza, first } = call;
  const to = stanza.attrs["to"] ?? "";
  if (isGroupJid(to) && stanza.attrs["type"] === "set" && to !== "@g.us") return writeGroup(call, to);
  if (first?.tag === "create") return [createGroup(call, first)];
  if (first?.tag === "invite") return [answerInvite(call, to, first)];
  if (first?.tag === "query" && isGroupJid(to)) return [queryGroup(call, to)];
  if (first?.tag === "participating") return [listGroups(call)];
  if (first?.tag === "leave") return leaveGroups(call, first);
  throw notDone();
}

function queryGroup(call: IqCall, id: string): Node {
  return describeGroup(call.world, ownGroup(call, id));
}

/** To the server: the group of a code. To a group: its code. */
function answerInvite(call: IqCall, to: string, invite: Node): Node {
  const { code } = invite.attrs;
  return code === undefined ? readInvite(call, ownGroup(call, to)) : useInvite(call, code);
}

/** A group of which the asking person is a member. */
function ownGroup(call: IqCall, id: string): Group {
  const { person } = needCompanion(call);
  const group = call.world.groups.get(id);
  if (!group) throw notFound();
  if (!group.members.has(person.phone)) throw notAllowed();
  return group;
}

function listGroups(call: IqCall): Node {
  const { person } = needCompanion(call);
  const { world } = call;
  const own = [...world.groups.values()].filter(({ members }) => members.has(person.phone));
  return node(
    "groups",
    {},
    own.map((group) => describeGroup(world, group)),
  );
}

function leaveGroups(call: IqCall, leave: Node): Node[] {
  const { person } = needCompanion(call);
  const { world } = call;
  const left = children(leave, "group").map(({ attrs }) => {
    const group = world.groups.get(attrs["id"] ?? "");
    if (!group?.members.has(person.phone)) return node("group", { id: attrs["id"], error: "404" });
    call.afterwards(() => changeGroup(world, group, { by: person, action: "remove", people: [person] }));
    return node("group", { id: group.id });
  });
  return [node("leave", {}, left)];
}
