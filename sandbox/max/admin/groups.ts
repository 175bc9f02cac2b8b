import { AdminError, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Account } from "../world/account.ts";
import type { Chat } from "../world/chat.ts";
import { changeMembers, control, leave, rename, setAdmin, setPhoto } from "../world/group.ts";
import { tellChat } from "../world/posting.ts";
import type { World } from "../world/world.ts";
import { addFile } from "./content.ts";
import { describeGroup } from "./describe.ts";

/** Groups and who is in them. */
export function groupRoutes(world: World): AdminRoute[] {
  const groupOf = ({ params }: AdminCall) => world.group(params.needText("group_id"));
  return [
    ["POST", "/groups", ({ body }) => describeGroup(world, addGroup(world, body))],
    ["GET", "/groups", () => ({ items: groups(world).map((group) => describeGroup(world, group)) })],
    ["GET", "/groups/{group_id}", (call) => describeGroup(world, groupOf(call))],
    ["POST", "/groups/{group_id}/changes", (call) => changeGroup(world, groupOf(call), call.body)],
  ];
}

function groups(world: World): Chat[] {
  return [...world.chats.values()].filter(({ type }) => type === "CHAT");
}

/** `{title?, participants, creator?, id?}`: phone numbers. */
function addGroup(world: World, body: AdminCall["body"]): Chat {
  const members = phones(world, body);
  const creator = body.text("creator");
  const owner = creator === undefined ? members[0] : world.account(creator);
  if (!owner) throw invalid("participants", "a list of phone numbers");
  const chat = world.addGroup({
    title: body.text("title") ?? "Group",
    owner,
    members,
    id: body.integer("id"),
  });
  const userIds = members.map(({ id }) => id);
  control({ world, chat }, { by: owner, event: "new", fields: { title: chat.title, userIds } });
  tellChat({ world, chat });
  return chat;
}

function phones(world: World, body: AdminCall["body"]): Account[] {
  return (body.list("participants") ?? []).map((phone) => world.account(String(phone)));
}

/** `{action, participants?, value?, by?}`: `add`, `remove`, `promote`, `demote`, `title`, `photo`, `leave`. */
async function changeGroup(world: World, chat: Chat, body: AdminCall["body"]): Promise<unknown> {
  const place = { world, chat };
  const action = body.needText("action");
  const by = world.account(body.text("by") ?? world.accounts.get(chat.owner)?.phone ?? "");
  if (!chat.participants.has(by.id))
    throw new AdminError(409, "not_a_member", `${by.phone} is not in the group`);
  const members = phones(world, body);
  if (action === "add" || action === "remove") changeMembers(place, { operation: action, members, by });
  else if (action === "promote" || action === "demote")
    for (const member of members) setAdmin(place, member, action === "promote");
  else if (action === "title") rename(place, { title: body.needText("value"), by });
  else if (action === "photo")
    setPhoto(place, { photo: await addFile(world, { owner: by, kind: "photo", body }), by });
  else if (action === "leave") leave(place, by);
  else throw invalid("action", "add, remove, promote, demote, title, photo or leave");
  return describeGroup(world, chat);
}
