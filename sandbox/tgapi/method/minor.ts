import { renderPhoto } from "../render/media.ts";
import { renderUser } from "../render/user.ts";
import type { Methods } from "../rpc/call.ts";
import { resolvePeer, resolveUser } from "../rpc/peer.ts";
import { pushPassing } from "../world/push.ts";

/** Occasional queries, and calls without an effect that others see. */
export const minorMethods = {
  "messages.setTyping"({ peer, action }, call) {
    const { id, kind } = resolvePeer(call, peer);
    const reader = kind === "user" ? call.world.state.people.get(id) : undefined;
    if (reader) pushPassing(call.world, reader, { _: "updateUserTyping", userId: call.person.id, action });
    return true;
  },

  "photos.getUserPhotos"({ userId }, call) {
    const user = resolveUser(call, userId);
    const file = user.photo === undefined ? undefined : call.world.state.files.get(user.photo);
    return {
      _: "photos.photos",
      photos: file ? [renderPhoto(call.world, call.person, file)] : [],
      users: [renderUser(call.world, call.person, user)],
    };
  },

  "messages.getDialogFilters": () => ({
    _: "messages.dialogFilters",
    filters: [{ _: "dialogFilterDefault" }],
  }),

  "messages.getPinnedDialogs": (_, { world, person }) => ({
    _: "messages.peerDialogs",
    dialogs: [],
    messages: [],
    chats: [],
    users: [],
    state: {
      _: "updates.state",
      pts: person.mailbox.pts,
      qts: 0,
      date: world.clock.now(),
      seq: 0,
      unreadCount: 0,
    },
  }),

  "messages.markDialogUnread": () => true,

  "messages.readMessageContents": (_, { person }) => ({
    _: "messages.affectedMessages",
    pts: person.mailbox.pts,
    ptsCount: 0,
  }),

  "channels.readMessageContents": () => true,

  "users.getRequirementsToContact": ({ id }, call) =>
    id.map((each) =>
      resolveUser(call, each).writers === "premium"
        ? { _: "requirementToContactPremium" as const }
        : { _: "requirementToContactEmpty" as const },
    ),
} satisfies Methods;
