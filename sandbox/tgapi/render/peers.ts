import type { tl } from "@mtcute/core";
import { groupOf } from "../world/directory.ts";
import type { PeerRef } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";
import { renderChat } from "./chat.ts";
import { renderUser } from "./user.ts";

/** The people and groups referred to in objects, as one account sees them, each once. */
export function collectPeers(
  world: World,
  viewer: Person,
  mentioning: unknown,
): { readonly users: tl.TypeUser[]; readonly chats: tl.TypeChat[] } {
  const users = new Set<number>();
  const groups = new Set<string>();
  const chats: tl.TypeChat[] = [];
  for (const peer of peersIn(mentioning)) {
    if (peer.kind === "user") users.add(peer.id);
    else if (!groups.has(`${peer.kind}${peer.id}`)) {
      groups.add(`${peer.kind}${peer.id}`);
      const group = groupOf(world, peer);
      if (group) chats.push(renderChat(world, viewer, group));
    }
  }
  const people = [...users].flatMap((id) => world.state.people.get(id) ?? []);
  return { users: people.map((each) => renderUser(world, viewer, each)), chats };
}

/** Fields that contain a person's id without a peer constructor. */
const userFields = new Set(["userId", "inviterId", "adminId", "promotedBy", "kickedBy"]);

function* peersIn(value: unknown): Generator<PeerRef> {
  if (Array.isArray(value)) for (const each of value) yield* peersIn(each);
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Uint8Array)
    return;
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === "number" && userFields.has(name) && each > 0) yield { kind: "user", id: each };
    else if (typeof each === "number" && name === "chatId") yield { kind: "chat", id: each };
    else if (typeof each === "number" && name === "channelId") yield { kind: "channel", id: each };
    else if (name === "users" && Array.isArray(each) && typeof each[0] === "number")
      for (const id of each) yield { kind: "user", id: Number(id) };
    else yield* peersIn(each);
  }
}
