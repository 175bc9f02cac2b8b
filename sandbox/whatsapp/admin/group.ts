import { AdminError, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { sampleFile } from "../../sample-file.ts";
import { changeGroup, changePicture, type GroupChange } from "../chat/group-change.ts";
import type { Group } from "../group.ts";
import type { Person } from "../person/person.ts";
import type { World } from "../world.ts";
import { describeGroup } from "./describe.ts";

/** Groups: creating and changing them. All linked devices of members are notified. */
export function groupRoutes(world: World): AdminRoute[] {
  const groupOf = ({ params }: AdminCall) => world.group(params.needText("group_id"));
  return [
    ["POST", "/groups", (call) => describeGroup(world, create(world, call))],
    [
      "GET",
      "/groups",
      () => ({ items: [...world.groups.values()].map((each) => describeGroup(world, each)) }),
    ],
    ["GET", "/groups/{group_id}", (call) => describeGroup(world, groupOf(call))],
    [
      "POST",
      "/groups/{group_id}/changes",
      (call) => {
        const group = groupOf(call);
        changeGroup(world, group, { by: actor(world, group, call), ...readChange(world, call) });
        return describeGroup(world, group);
      },
    ],
    ["POST", "/groups/{group_id}/photos", (call) => setPicture(world, groupOf(call), call)],
    [
      "DELETE",
      "/groups/{group_id}/photos",
      (call) => {
        const group = groupOf(call);
        changePicture(world, group, { by: actor(world, group, call), picture: undefined });
      },
    ],
  ];
}

/** `{subject, participants, creator?, id?}`: phone numbers; default creator: the first. */
function create(world: World, { body }: AdminCall): Group {
  const members = readPeople(world, body.list("participants"));
  const creatorPhone = body.text("creator");
  const creator = creatorPhone === undefined ? members[0] : world.person(creatorPhone);
  if (!creator) throw invalid("participants", "a list with at least one phone number");
  const group = world.addGroup({
    subject: body.text("subject") ?? "Group",
    creator,
    members,
    id: body.text("id"),
  });
  changeGroup(world, group, { by: creator, action: "create" });
  return group;
}

/** `{action, participants?, value?, by?}` */
function readChange(world: World, { body }: AdminCall): GroupChange {
  const action = body.needText("action");
  switch (action) {
    case "add":
    case "remove":
    case "promote":
    case "demote":
      return { action, people: readPeople(world, body.list("participants")) };
    case "subject":
    case "description":
      return { action, value: body.needText("value") };
    case "announcement":
    case "not_announcement":
    case "locked":
    case "unlocked":
      return { action };
    default:
      throw invalid(
        "action",
        "add, remove, promote, demote, subject, description, announcement, not_announcement, locked or unlocked",
      );
  }
}

/** `{base64?, by?}`: without bytes, a small one is created. */
async function setPicture(world: World, group: Group, call: AdminCall): Promise<unknown> {
  const by = actor(world, group, call);
  const base64 = call.body.text("base64");
  const bytes = base64 === undefined ? sampleFile("image/jpeg", undefined) : Buffer.from(base64, "base64");
  const id = String(Number(group.picture?.id ?? 0) + 1);
  const picture = { id, ...(await world.media.put(bytes)) };
  changePicture(world, group, { by, picture });
  return picture;
}

function actor(world: World, group: Group, { body }: AdminCall): Person {
  const person = world.person(body.text("by") ?? group.creator);
  if (group.members.has(person.phone)) return person;
  throw new AdminError(409, "not_a_member", `${person.phone} is not in ${group.id}`);
}

function readPeople(world: World, phones: readonly unknown[] | undefined): Person[] {
  if (!phones || phones.length === 0) throw invalid("participants", "a list of phone numbers");
  return phones.map((phone) => world.person(String(phone)));
}
