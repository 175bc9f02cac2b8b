import type { GroupCall } from "../call/call.ts";
import { badParam, VkError } from "../call/vk-error.ts";
import { Chat, type Dialog } from "../chat/dialog.ts";
import { chatOffset } from "../shape.ts";

/** The peers of a call; `isList`: the response is a list. */
export interface Targets {
  readonly peerIds: readonly number[];
  readonly isList: boolean;
}

const maxPeers = 100;

/** `peer_ids`, `peer_id`, `user_id`, `chat_id` or `domain`. */
export function readTargets(call: GroupCall): Targets {
  const { params, world } = call;
  const peerIds = params.integers("peer_ids");
  if (peerIds) {
    if (peerIds.length > maxPeers) throw badParam(`peer_ids should contain at most ${maxPeers} items`);
    return { peerIds: [...new Set(peerIds)], isList: true };
  }
  const chatId = params.integer("chat_id");
  const domain = params.text("domain");
  const named =
    domain === undefined ? undefined : [...world.users.values()].find((user) => user.screen_name === domain);
  const peerId =
    params.integer("peer_id") ??
    params.integer("user_id") ??
    named?.id ??
    (chatId === undefined ? undefined : chatOffset + chatId);
  if (peerId !== undefined) return { peerIds: [peerId], isList: false };
  if (domain !== undefined) throw new VkError(113);
  throw badParam("you should specify peer_id, user_id, domain, chat_id or user_ids param");
}

/** The conversation, if the community may write to it; otherwise the error. */
export function writableDialog({ world, community }: GroupCall, peerId: number): Dialog {
  if (!community.messagesEnabled) throw new VkError(15, "group messages are disabled");
  if (peerId > chatOffset) {
    const chat = community.dialogs.get(peerId);
    if (chat instanceof Chat && chat.isMember) return chat;
    throw new VkError(917);
  }
  if (peerId <= 0) throw new VkError(932);
  const user = world.users.get(peerId);
  if (!user) throw new VkError(901);
  if (user.deactivated) throw new VkError(18);
  const dialog = community.dialogWith(user);
  if (dialog.banned) throw new VkError(900);
  if (!dialog.allowed) throw new VkError(901);
  return dialog;
}

/** An existing conversation; for all calls but writing. */
export function knownDialog({ community }: GroupCall, peerId: number): Dialog {
  const dialog = community.dialogs.get(peerId);
  if (dialog instanceof Chat && !dialog.isMember) throw new VkError(917);
  if (dialog) return dialog;
  throw peerId > chatOffset ? new VkError(917) : new VkError(936);
}
