import type { tl } from "@mtcute/core";
import { renderDialog } from "../render/dialog.ts";
import { renderMessage } from "../render/message.ts";
import { collectPeers } from "../render/peers.ts";
import type { Call, Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { needMember, resolveChannel, resolvePeer } from "../rpc/peer.ts";
import { groupOf } from "../world/directory.ts";
import { letterAt, ownLetter } from "../world/find.ts";
import type { Letter } from "../world/letter.ts";
import type { Dialog } from "../world/person.ts";
import { lettersUpTo } from "../world/revise.ts";

const maxPage = 100;

/** Listing conversations and messages. */
export const historyMethods = {
  "messages.getDialogs"({ offsetDate, offsetId, limit, folderId }, call) {
    if (folderId !== undefined && folderId !== 0)
      return { _: "messages.dialogs", dialogs: [], messages: [], chats: [], users: [] };
    const all = sortedDialogs(call);
    const isAfter = ({ topId }: Dialog, letter: Letter | undefined) =>
      offsetDate === 0 ||
      (letter?.date ?? 0) < offsetDate ||
      (letter?.date === offsetDate && topId < offsetId);
    const rest = all.filter(({ dialog, letter }) => isAfter(dialog, letter));
    const page = rest.slice(0, Math.max(1, Math.min(limit, maxPage)));
    const dialogs = page.map(({ dialog }) => renderDialog(call.world, call.person, dialog.peer));
    const messages = page.flatMap(({ letter }) =>
      letter ? [renderMessage(call.world, call.person, letter)] : [],
    );
    const content = { dialogs, messages, ...collectPeers(call.world, call.person, [dialogs, messages]) };
    if (page.length === all.length) return { _: "messages.dialogs", ...content };
    return { _: "messages.dialogsSlice", count: all.length, ...content };
  },

  "messages.getPeerDialogs"({ peers }, call) {
    const dialogs = peers.map((each) => {
      if (each._ !== "inputDialogPeer") throw bad("PEER_ID_INVALID");
      return renderDialog(call.world, call.person, resolvePeer(call, each.peer));
    });
    const { pts } = call.person.mailbox;
    const state = {
      _: "updates.state",
      pts,
      qts: 0,
      date: call.world.clock.now(),
      seq: 0,
      unreadCount: 0,
    } as const;
    return {
      _: "messages.peerDialogs",
      dialogs,
      messages: [],
      state,
      ...collectPeers(call.world, call.person, dialogs),
    };
  },

  "messages.getHistory"({ peer, offsetId, addOffset, limit, maxId, minId }, call) {
    const ref = resolvePeer(call, peer);
    const group = groupOf(call.world, ref);
    if (group) needMember(call, group);
    const upper = maxId > 0 ? maxId - 1 : Number.MAX_SAFE_INTEGER;
    const range = { peer: ref, after: minId, maxId: upper };
    const newestFirst = lettersUpTo(call.world, call.person, range).reverse();
    const start = offsetId > 0 ? newestFirst.findIndex((each) => idOf(call, each) < offsetId) : 0;
    const from = start < 0 ? newestFirst.length : Math.max(0, start + addOffset);
    const letters = newestFirst.slice(from, from + Math.min(limit, maxPage));
    return listMessages(call, letters, {
      count: newestFirst.length,
      pts: group?.kind === "channel" ? group.mailbox.pts : undefined,
    });
  },

  "messages.getMessages": ({ id }, call) =>
    listMessages(
      call,
      id.flatMap((each) => ("id" in each ? (ownLetter(call.world, call.person, each.id) ?? []) : [])),
      {},
    ),

  "channels.getMessages"({ channel, id }, call) {
    const group = resolveChannel(call, channel);
    needMember(call, group);
    const peer = { kind: "channel", id: group.id } as const;
    const letters = id.flatMap((each) =>
      "id" in each ? (letterAt(call.world, call.person, peer, each.id) ?? []) : [],
    );
    return listMessages(call, letters, { count: letters.length, pts: group.mailbox.pts });
  },
} satisfies Methods;

function idOf({ person }: Call, letter: Letter): number {
  return letter.ids.get(letter.to.kind === "channel" ? 0 : person.id) ?? 0;
}

/** Sorted by newest message, newest first. */
function sortedDialogs({ world, person }: Call): { dialog: Dialog; letter: Letter | undefined }[] {
  return [...person.dialogs.values()]
    .filter(({ topId }) => topId > 0)
    .map((dialog) => ({ dialog, letter: letterAt(world, person, dialog.peer, dialog.topId) }))
    .sort((one, other) => (other.letter?.number ?? 0) - (one.letter?.number ?? 0));
}

function listMessages(
  { world, person }: Call,
  letters: readonly Letter[],
  { count, pts }: { readonly count?: number; readonly pts?: number | undefined },
): tl.messages.TypeMessages {
  const messages = letters.map((each) => renderMessage(world, person, each));
  const content = { messages, topics: [], ...collectPeers(world, person, messages) };
  if (pts !== undefined)
    return { _: "messages.channelMessages", pts, count: count ?? messages.length, ...content };
  if (count === undefined || count === messages.length) return { _: "messages.messages", ...content };
  return { _: "messages.messagesSlice", count, ...content };
}
