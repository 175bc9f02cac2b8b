import { AdminError, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { groupByMarkedId, personByPhone } from "../world/directory.ts";
import type { Group } from "../world/group.ts";
import {
  setPhoto as changePhoto,
  setRole as changeRole,
  createGroup,
  join,
  leave,
  rename,
  upgrade,
} from "../world/membership.ts";
import { peerOfMarkedId } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";
import { describeGroup } from "./describe.ts";
import { readNewPhoto } from "./file.ts";

/** Groups: creating and changing them. `{group_id}` is the marked id. */
export function groupRoutes(world: World): AdminRoute[] {
  const groupOf = ({ params }: AdminCall) => groupByMarkedId(world, params.needInteger("group_id"));
  const one = "/groups/{group_id}";
  return [
    ["POST", "/groups", (call) => describeGroup(world, create(world, call))],
    [
      "GET",
      "/groups",
      () => ({ items: [...world.state.groups.values()].map((each) => describeGroup(world, each)) }),
    ],
    ["GET", one, (call) => describeGroup(world, groupOf(call))],
    ["POST", `${one}/users`, (call) => add(world, groupOf(call), call)],
    ["POST", `${one}/removals`, (call) => remove(world, groupOf(call), call)],
    ["POST", `${one}/titles`, (call) => retitle(world, groupOf(call), call)],
    ["POST", `${one}/photos`, (call) => setPhoto(world, groupOf(call), call)],
    ["POST", `${one}/promotions`, (call) => setRole(world, groupOf(call), call, "admin")],
    ["POST", `${one}/demotions`, (call) => setRole(world, groupOf(call), call, "member")],
    ["POST", `${one}/locks`, (call) => lock(world, groupOf(call), call)],
    ["POST", `${one}/upgrades`, (call) => describeGroup(world, upgradeGroup(world, groupOf(call), call))],
  ];
}

/** `{title, participants, creator?, kind?: group|supergroup, username?, id?}`; `participants` are phone numbers. */
function create(world: World, { body }: AdminCall): Group {
  const members = (body.list("participants") ?? []).map((phone) => personByPhone(world, String(phone)));
  const creatorPhone = body.text("creator");
  const by = creatorPhone === undefined ? members[0] : personByPhone(world, creatorPhone);
  if (!by) throw invalid("participants", "a list with at least one phone number");
  const kind = body.text("kind") ?? "group";
  if (kind !== "group" && kind !== "supergroup") throw invalid("kind", '"group" or "supergroup"');
  const marked = body.integer("id");
  const setup = {
    kind: kind === "group" ? ("chat" as const) : ("channel" as const),
    title: body.text("title") ?? "Group",
    id: marked === undefined ? undefined : peerOfMarkedId(marked).id,
    members,
  };
  const { group } = createGroup(world, setup, { by });
  group.username = body.text("username");
  return group;
}

/** `{phone, by?}`: added by another member, or, without `by`, joins by a link. */
function add(world: World, group: Group, { body }: AdminCall): unknown {
  const person = personByPhone(world, body.needText("phone"));
  const by = body.text("by");
  join(world, group, [person], { by: by === undefined ? person : personByPhone(world, by) });
  return describeGroup(world, group);
}

/** `{phone, by?}`: removed by another member, or, without `by`, leaves. */
function remove(world: World, group: Group, { body }: AdminCall): unknown {
  const person = personByPhone(world, body.needText("phone"));
  const by = body.text("by");
  leave(world, group, person, { by: by === undefined ? person : personByPhone(world, by) });
  return describeGroup(world, group);
}

function retitle(world: World, group: Group, call: AdminCall): unknown {
  rename(world, group, call.body.needText("title"), { by: actor(world, group, call) });
  return describeGroup(world, group);
}

/** `{file?, by?}`; without a file, a small picture is created. */
async function setPhoto(world: World, group: Group, call: AdminCall): Promise<unknown> {
  const by = actor(world, group, call);
  changePhoto(world, group, await readNewPhoto(world, call.body), { by });
  return describeGroup(world, group);
}

function setRole(world: World, group: Group, { body }: AdminCall, role: "admin" | "member"): unknown {
  const person = personByPhone(world, body.needText("phone"));
  if (!group.members.has(person.id))
    throw new AdminError(409, "not_a_member", `${person.phone} is not in ${group.title}`);
  changeRole(world, group, { person, role });
  return describeGroup(world, group);
}

/** `{locked?}`: only administrators can write from now on. */
function lock(world: World, group: Group, { body }: AdminCall): unknown {
  group.isReadOnly = body.flag("locked") ?? true;
  world.changed();
  return describeGroup(world, group);
}

function upgradeGroup(world: World, group: Group, call: AdminCall): Group {
  if (group.kind !== "chat") throw new AdminError(409, "exists", "it is a supergroup already");
  return upgrade(world, group, { by: actor(world, group, call) });
}

function actor(world: World, group: Group, { body }: AdminCall): Person {
  const by = body.text("by");
  const person = by === undefined ? world.state.people.get(group.creator) : personByPhone(world, by);
  if (person && group.members.has(person.id)) return person;
  throw new AdminError(409, "not_a_member", `${by} is not in ${group.title}`);
}
