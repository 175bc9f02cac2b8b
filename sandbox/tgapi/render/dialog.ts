import type { tl } from "@mtcute/core";
import { defined } from "../defined.ts";
import { groupOf } from "../world/directory.ts";
import { type PeerRef, toTlPeer } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import { openDialog } from "../world/post.ts";
import { unreadIn } from "../world/revise.ts";
import type { World } from "../world/world.ts";

/** A conversation in the list of an account. */
export function renderDialog(world: World, viewer: Person, peer: PeerRef): tl.RawDialog {
  const dialog = openDialog(viewer, peer);
  const group = groupOf(world, peer);
  return {
    _: "dialog",
    peer: toTlPeer(peer),
    topMessage: dialog.topId,
    readInboxMaxId: dialog.readInbox,
    readOutboxMaxId: group?.kind === "channel" ? group.readOutbox : dialog.readOutbox,
    unreadCount: unreadIn(world, viewer, peer),
    unreadMentionsCount: 0,
    unreadReactionsCount: 0,
    unreadPollVotesCount: 0,
    notifySettings: { _: "peerNotifySettings" },
    ...defined({ pts: group?.kind === "channel" ? group.mailbox.pts : undefined }),
  };
}
