import type { tl } from "@mtcute/core";
import { accessHash } from "../world/access.ts";
import { groupOf } from "../world/directory.ts";
import type { Group } from "../world/group.ts";
import type { PeerRef } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import type { Call } from "./call.ts";
import { bad, RpcError } from "./error.ts";

/**
 * The peer of a call; throws `PEER_ID_INVALID` if it does not exist, or the access hash belongs to another account.
 */
export function resolvePeer(call: Call, input: tl.TypeInputPeer): PeerRef {
  switch (input._) {
    case "inputPeerSelf":
      return { kind: "user", id: call.person.id };
    case "inputPeerUser":
      return { kind: "user", id: checkedUser(call, input).id };
    case "inputPeerUserFromMessage":
      return { kind: "user", id: mentionedUser(call, input.userId).id };
    case "inputPeerChat":
      return { kind: "chat", id: ownGroup(call, { kind: "chat", id: input.chatId }).id };
    case "inputPeerChannel":
      return { kind: "channel", id: checkedChannel(call, input).id };
    default:
      throw bad("PEER_ID_INVALID");
  }
}

export function resolveUser(call: Call, input: tl.TypeInputUser): Person {
  switch (input._) {
    case "inputUserSelf":
      return call.person;
    case "inputUser":
      return checkedUser(call, input, "USER_ID_INVALID");
    case "inputUserFromMessage":
      return mentionedUser(call, input.userId);
    default:
      throw bad("USER_ID_INVALID");
  }
}

export function resolveChannel(call: Call, input: tl.TypeInputChannel): Group {
  if (input._ !== "inputChannel") throw bad("CHANNEL_INVALID");
  return checkedChannel(call, input);
}

/** Checks that an account may read a group. */
export function needMember(call: Call, group: Group): void {
  if (group.members.has(call.person.id)) return;
  throw group.kind === "chat" ? bad("CHAT_ID_INVALID") : new RpcError(400, "CHANNEL_PRIVATE");
}

function checkedUser(
  call: Call,
  { userId, accessHash: hash }: Pick<tl.RawInputPeerUser, "userId" | "accessHash">,
  text = "PEER_ID_INVALID",
): Person {
  const person = call.world.state.people.get(userId);
  const isGenuine = person && accessHash(call.world, call.person, { kind: "user", id: userId }).equals(hash);
  // The own account is also found without its access hash.
  if (!person || (!isGenuine && userId !== call.person.id)) throw bad(text);
  return person;
}

/** A person named in one of the caller's messages, whose access hash the caller does not know. */
function mentionedUser(call: Call, userId: number): Person {
  const person = call.world.state.people.get(userId);
  if (!person) throw bad("MSG_ID_INVALID");
  return person;
}

function checkedChannel(
  call: Call,
  { channelId, accessHash: hash }: Pick<tl.RawInputChannel, "channelId" | "accessHash">,
): Group {
  const peer = { kind: "channel", id: channelId } as const;
  const group = groupOf(call.world, peer);
  if (!group || !accessHash(call.world, call.person, peer).equals(hash)) throw bad("CHANNEL_INVALID");
  if (group.banned.has(call.person.id)) throw new RpcError(406, "CHANNEL_PRIVATE");
  return group;
}

function ownGroup(call: Call, peer: PeerRef): Group {
  const group = groupOf(call.world, peer);
  if (!group) throw bad("PEER_ID_INVALID");
  return group;
}
