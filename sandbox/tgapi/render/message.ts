import type { tl } from "@mtcute/core";
import { defined } from "../defined.ts";
import { dialogOf, type Letter } from "../world/letter.ts";
import { toTlPeer } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";
import { renderMedia, renderPhoto } from "./media.ts";
import { newFields } from "./novelty.ts";

/** A message as one account sees it, with its id there. */
export function renderMessage(
  world: World,
  viewer: Person,
  letter: Letter,
): tl.RawMessage | tl.RawMessageService {
  const base = {
    id: idFor(letter, viewer),
    out: letter.from === viewer.id,
    silent: letter.silent,
    fromId: { _: "peerUser", userId: letter.from },
    peerId: toTlPeer(dialogOf(letter, viewer.id)),
    date: letter.date,
    ...defined({ replyTo: renderReply(world, viewer, letter) }),
  } as const;
  if (letter.action)
    return { _: "messageService", ...base, action: renderAction(world, viewer, letter.action) };
  return {
    _: "message",
    ...base,
    message: letter.text,
    ...newFields(world, letter),
    ...defined({
      media: letter.media && renderMedia(world, viewer, letter.media),
      replyMarkup: letter.markup,
      entities: letter.entities.length > 0 ? [...letter.entities] : undefined,
      editDate: letter.editDate,
      groupedId: letter.groupedId,
    }),
  };
}

/** A new picture of a group comes with the hash for this account. */
function renderAction(world: World, viewer: Person, action: tl.TypeMessageAction): tl.TypeMessageAction {
  if (action._ !== "messageActionChatEditPhoto") return action;
  const file = world.state.files.get(action.photo.id.toString());
  return file ? { ...action, photo: renderPhoto(world, viewer, file) } : action;
}

/** The id of a message in the mailbox from which this account reads it; 0: it has no copy. */
export function idFor(letter: Letter, viewer: Person): number {
  return letter.ids.get(letter.to.kind === "channel" ? 0 : viewer.id) ?? 0;
}

export function renderReply(
  world: World,
  viewer: Person,
  { replyTo }: Letter,
): tl.RawMessageReplyHeader | undefined {
  const target = replyTo === undefined ? undefined : world.state.letters.get(replyTo);
  const replyToMsgId = target && idFor(target, viewer);
  return replyToMsgId ? { _: "messageReplyHeader", replyToMsgId } : undefined;
}
