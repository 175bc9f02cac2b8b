import { defined } from "../defined.ts";
import { randomLong } from "../mtproto/auth-key.ts";
import { renderMedia } from "../render/media.ts";
import { idFor } from "../render/message.ts";
import type { Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { readMedia } from "./input-media.ts";
import { checkRandomId, openTarget, readReply, send, sentUpdates } from "./outgoing.ts";
import { countCharacters, maxCaption, maxText, readText } from "./text.ts";

/** Maximum items of an album. */
const maxAlbum = 10;

export const sendMethods = {
  "messages.sendMessage"({ peer, message, entities, replyTo, randomId, silent }, call) {
    const to = openTarget(call, peer);
    const { text, entities: formatting } = readText(call, message, entities);
    if (text === "") throw bad("MESSAGE_EMPTY");
    if (countCharacters(text) > maxText) throw bad("MESSAGE_TOO_LONG");
    const content = { text, entities: formatting, replyTo: readReply(call, to, replyTo) };
    const posted = send(call, to, { ...content, silent: silent === true, randomId });
    if (to.kind === "channel") return sentUpdates(call, [{ randomId, posted }]);
    const { letter, change } = posted;
    return {
      _: "updateShortSentMessage",
      out: true,
      id: idFor(letter, call.person),
      pts: change.pts,
      ptsCount: change.count,
      date: letter.date,
      ...defined({ entities: letter.entities.length > 0 ? [...letter.entities] : undefined }),
    };
  },

  async "messages.sendMedia"({ peer, media, message, entities, replyTo, randomId, silent }, call) {
    const to = openTarget(call, peer);
    const { text, entities: formatting } = readText(call, message, entities);
    if (countCharacters(text) > maxCaption) throw bad("MEDIA_CAPTION_TOO_LONG");
    checkRandomId(call, randomId);
    const content = { text, entities: formatting, replyTo: readReply(call, to, replyTo) };
    const posted = send(call, to, {
      ...content,
      media: await readMedia(call, media),
      silent: silent === true,
      randomId,
    });
    return sentUpdates(call, [{ randomId, posted }]);
  },

  async "messages.sendMultiMedia"({ peer, multiMedia, replyTo, silent }, call) {
    const to = openTarget(call, peer);
    if (multiMedia.length === 0) throw bad("MULTI_MEDIA_TOO_LONG");
    if (multiMedia.length > maxAlbum) throw bad("MULTI_MEDIA_TOO_LONG");
    for (const { randomId } of multiMedia) checkRandomId(call, randomId);
    const reply = readReply(call, to, replyTo);
    const groupedId = randomLong();
    const drafts = await Promise.all(
      multiMedia.map(async ({ media, message, entities, randomId }) => {
        const content = readText(call, message, entities);
        if (countCharacters(content.text) > maxCaption) throw bad("MEDIA_CAPTION_TOO_LONG");
        return { ...content, randomId, media: await readMedia(call, media, "stored") };
      }),
    );
    const sent = drafts.map((draft) => {
      const posted = send(call, to, { ...draft, groupedId, replyTo: reply, silent: silent === true });
      return { randomId: draft.randomId, posted };
    });
    return sentUpdates(call, sent);
  },

  async "messages.uploadMedia"({ media }, call) {
    const stored = await readMedia(call, media);
    return renderMedia(call.world, call.person, stored);
  },
} satisfies Methods;
