import type { Group } from "../group.ts";
import { type Node, node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";

/** A group in queries and notifications: members by LID, with their numbers. */
export function describeGroup(world: World, group: Group): Node {
  const creator = world.people.get(group.creator);
  const created = seconds(group.createdMs);
  return node(
    "group",
    {
      id: group.id.replace("@g.us", ""),
      subject: group.subject,
      s_t: seconds(group.subjectMs),
      s_o: world.people.get(group.subjectBy)?.lidJid,
      creation: created,
      creator: creator?.lidJid,
      creator_pn: creator?.jid,
      addressing_mode: "lid",
      size: String(group.members.size),
    },
    [
      ...(group.description === undefined
        ? []
        : [node("description", { id: "d" }, [node("body", {}, Buffer.from(group.description))])]),
      ...(group.announce ? [node("announcement")] : []),
      ...(group.locked ? [node("locked")] : []),
      ...world.membersOf(group).map((person) =>
        node("participant", {
          jid: person.lidJid,
          phone_number: person.jid,
          type: group.members.get(person.phone),
        }),
      ),
    ],
  );
}
