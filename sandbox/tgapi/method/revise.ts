import { renderChange, renderGroupChange, wrapUpdates } from "../render/updates.ts";
import type { Call, Methods } from "../rpc/call.ts";
import { bad, RpcError } from "../rpc/error.ts";
import { needMember, resolveChannel, resolvePeer } from "../rpc/peer.ts";
import { groupOf } from "../world/directory.ts";
import { letterAt, ownLetter } from "../world/find.ts";
import type { Letter } from "../world/letter.ts";
import type { PeerRef } from "../world/peer.ts";
import { edit, readUpTo, remove, removeFromGroup } from "../world/revise.ts";
import { readMedia } from "./input-media.ts";
import { countCharacters, maxCaption, maxText, readText } from "./text.ts";

const editSeconds = 48 * 3600;

/** Editing, deleting and reading messages. */
export const reviseMethods = {
  async "messages.editMessage"({ peer, id, message, entities, media }, call) {
    const to = resolvePeer(call, peer);
    const letter = letterAt(call.world, call.person, to, id);
    if (!letter || letter.action) throw bad("MESSAGE_ID_INVALID");
    checkEditable(call, letter);
    const content = readText(
      call,
      message ?? letter.text,
      message === undefined ? letter.entities : entities,
    );
    checkLength(letter, content.text);
    const stored = media && media._ !== "inputMediaEmpty" ? await readMedia(call, media) : letter.media;
    if (!stored && content.text === "") throw bad("MESSAGE_EMPTY");
    const isSame = content.text === letter.text && stored === letter.media;
    if (isSame && JSON.stringify(content.entities) === JSON.stringify(letter.entities))
      throw bad("MESSAGE_NOT_MODIFIED");
    const change = edit(call.world, letter, {
      ...content,
      media: stored,
      by: call.person,
      origin: call.session,
    });
    note(call, "edit", { to, ids: [id], text: content.text });
    const group = groupOf(call.world, to);
    const update =
      group?.kind === "channel"
        ? renderGroupChange(call.world, call.person, { group, change })
        : renderChange(call.world, call.person, change);
    return wrapUpdates(call.world, call.person, update ? [update] : []);
  },

  "messages.deleteMessages"({ id, revoke }, call) {
    const letters = id.flatMap((each) => ownLetter(call.world, call.person, each) ?? []);
    const to = letters[0]?.to;
    const change = remove(call.world, letters, {
      by: call.person,
      revoke: revoke === true,
      origin: call.session,
    });
    note(call, "delete", { to, ids: id, text: revoke ? "revoke" : null });
    return { _: "messages.affectedMessages", pts: change.pts, ptsCount: change.count };
  },

  "channels.deleteMessages"({ channel, id }, call) {
    const group = resolveChannel(call, channel);
    needMember(call, group);
    const isAdmin = group.members.get(call.person.id)?.role !== "member";
    const peer = { kind: "channel", id: group.id } as const;
    for (const each of id) {
      const letter = letterAt(call.world, call.person, peer, each);
      if (letter && letter.from !== call.person.id && !isAdmin)
        throw new RpcError(403, "MESSAGE_DELETE_FORBIDDEN");
    }
    const change = removeFromGroup(call.world, group, { ids: id, origin: call.session });
    note(call, "delete", { to: peer, ids: id, text: "revoke" });
    return { _: "messages.affectedMessages", pts: change.pts, ptsCount: change.count };
  },

  "messages.readHistory"({ peer, maxId }, call) {
    const ref = resolvePeer(call, peer);
    if (ref.kind === "channel") throw bad("PEER_ID_INVALID");
    const change = read(call, ref, maxId);
    const pts = change?.pts ?? call.person.mailbox.pts;
    return { _: "messages.affectedMessages", pts, ptsCount: change?.count ?? 0 };
  },

  "channels.readHistory"({ channel, maxId }, call) {
    const group = resolveChannel(call, channel);
    needMember(call, group);
    read(call, { kind: "channel", id: group.id }, maxId);
    return true;
  },
} satisfies Methods;

/** Up to the newest message if `maxId` is 0 or too large. */
function read(call: Call, peer: PeerRef, maxId: number) {
  const newest = call.person.dialogs.get(`${peer.kind}${peer.id}`)?.topId ?? 0;
  const upTo = maxId <= 0 ? newest : Math.min(maxId, newest);
  note(call, "read", { to: peer, ids: [upTo], text: null });
  return readUpTo(call.world, call.person, { peer, maxId: upTo, origin: call.session });
}

function checkEditable({ world, person }: Call, letter: Letter): void {
  if (letter.from !== person.id) throw new RpcError(403, "MESSAGE_AUTHOR_REQUIRED");
  const isOwnNote = letter.to.kind === "user" && letter.to.id === person.id;
  if (!isOwnNote && world.clock.now() - letter.date > editSeconds) throw bad("MESSAGE_EDIT_TIME_EXPIRED");
}

function checkLength(letter: Letter, text: string): void {
  const length = countCharacters(text);
  if (letter.media && length > maxCaption) throw bad("MEDIA_CAPTION_TOO_LONG");
  if (length > maxText) throw bad("MESSAGE_TOO_LONG");
}

function note(
  { world, person }: Call,
  action: "edit" | "delete" | "read",
  {
    to,
    ids,
    text,
  }: { readonly to: PeerRef | undefined; readonly ids: readonly number[]; readonly text: string | null },
): void {
  const chat = to === undefined ? null : world.nameOfPeer(to);
  const about = { message_ids: ids, random_id: null, kind: null, text };
  world.sent.append({ at: world.stamp(), phone: person.phone, action, chat, ...about });
}
