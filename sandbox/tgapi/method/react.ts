import { renderReactionUpdate } from "../render/reactions.ts";
import { wrapUpdates } from "../render/updates.ts";
import type { Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { resolvePeer } from "../rpc/peer.ts";
import { letterAt } from "../world/find.ts";
import { react, reactionEmoji } from "../world/react.ts";

/** https://core.telegram.org/method/messages.sendReaction; one reaction for each account, none removes it. */
export const reactMethods = {
  "messages.sendReaction"({ peer, msgId, reaction }, call) {
    const { world, person, session: origin } = call;
    const letter = letterAt(world, person, resolvePeer(call, peer), msgId);
    if (!letter || letter.action) throw bad("MESSAGE_ID_INVALID");
    const given = (reaction ?? []).filter((each) => each._ !== "reactionEmpty");
    if (given.length > 1) throw bad("REACTIONS_TOO_MANY");
    const emoticon = given[0]?._ === "reactionEmoji" ? given[0].emoticon : undefined;
    if (given.length > 0 && !reactionEmoji.has(emoticon ?? "")) throw bad("REACTION_INVALID");
    if (emoticon === letter.reactions.get(person.id)?.emoticon) throw bad("MESSAGE_NOT_MODIFIED");
    react(world, letter, { by: person, emoticon, origin });
    return wrapUpdates(world, person, [renderReactionUpdate(person, letter)]);
  },
} satisfies Methods;
