import type { tl } from "@mtcute/core";
import { defined } from "../defined.ts";
import type { Group } from "../world/group.ts";
import type { Letter } from "../world/letter.ts";
import type { Change, Mailbox } from "../world/mailbox.ts";
import { toTlPeer } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";
import { idFor, renderMessage, renderReply } from "./message.ts";
import { collectPeers } from "./peers.ts";

/** A change of an account's own mailbox as an update; undefined if the message no longer exists. */
export function renderChange(world: World, viewer: Person, change: Change): tl.TypeUpdate | undefined {
  const { what, pts, count: ptsCount } = change;
  switch (what.kind) {
    case "new":
    case "edit": {
      const letter = letterIn(world, viewer.mailbox, what.id);
      if (!letter) return undefined;
      const message = renderMessage(world, viewer, letter);
      return { _: what.kind === "new" ? "updateNewMessage" : "updateEditMessage", message, pts, ptsCount };
    }
    case "delete":
      return { _: "updateDeleteMessages", messages: [...what.ids], pts, ptsCount };
    case "readInbox": {
      const { maxId, unread: stillUnreadCount } = what;
      return {
        _: "updateReadHistoryInbox",
        peer: toTlPeer(what.peer),
        maxId,
        stillUnreadCount,
        pts,
        ptsCount,
      };
    }
    case "readOutbox":
      return { _: "updateReadHistoryOutbox", peer: toTlPeer(what.peer), maxId: what.maxId, pts, ptsCount };
  }
}

/** A change of a supergroup as an update. */
export function renderGroupChange(
  world: World,
  viewer: Person,
  { group, change }: { readonly group: Group; readonly change: Change },
): tl.TypeUpdate | undefined {
  const { what, pts, count: ptsCount } = change;
  if (what.kind === "delete")
    return { _: "updateDeleteChannelMessages", channelId: group.id, messages: [...what.ids], pts, ptsCount };
  if (what.kind !== "new" && what.kind !== "edit") return undefined;
  const letter = letterIn(world, group.mailbox, what.id);
  if (!letter) return undefined;
  const message = renderMessage(world, viewer, letter);
  const name = what.kind === "new" ? "updateNewChannelMessage" : "updateEditChannelMessage";
  return { _: name, message, pts, ptsCount };
}

/** Updates with all peers that they refer to. `seq` is 0: they are ordered only by `pts`. */
export function wrapUpdates(world: World, viewer: Person, updates: tl.TypeUpdate[]): tl.RawUpdates {
  return { _: "updates", updates, ...collectPeers(world, viewer, updates), date: world.clock.now(), seq: 0 };
}

/**
 * A plain text of a private chat in the short form that servers use if both have written before; undefined if it does
 * not apply.
 */
export function shortMessage(
  world: World,
  viewer: Person,
  { letter, change }: { readonly letter: Letter; readonly change: Change },
): tl.RawUpdateShortMessage | undefined {
  const isPlain = !letter.media && !letter.action && !letter.markup && letter.to.kind === "user";
  const other = letter.from === viewer.id ? letter.to.id : letter.from;
  if (!isPlain || other === viewer.id) return undefined;
  return {
    _: "updateShortMessage",
    out: letter.from === viewer.id,
    silent: letter.silent,
    id: idFor(letter, viewer),
    userId: other,
    message: letter.text,
    pts: change.pts,
    ptsCount: change.count,
    date: letter.date,
    ...defined({
      replyTo: renderReply(world, viewer, letter),
      entities: letter.entities.length > 0 ? [...letter.entities] : undefined,
    }),
  };
}

export function letterIn(world: World, mailbox: Mailbox, id: number): Letter | undefined {
  const number = mailbox.letters.get(id);
  return number === undefined ? undefined : world.state.letters.get(number);
}
