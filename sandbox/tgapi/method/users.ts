import type { tl } from "@mtcute/core";
import { defined } from "../defined.ts";
import { renderPhoto } from "../render/media.ts";
import { renderUser } from "../render/user.ts";
import type { Methods } from "../rpc/call.ts";
import { RpcError } from "../rpc/error.ts";
import { resolveUser } from "../rpc/peer.ts";

export const usersMethods = {
  "users.getUsers": ({ id }, call) =>
    id.flatMap((each): tl.TypeUser[] => {
      try {
        return [renderUser(call.world, call.person, resolveUser(call, each))];
      } catch (error) {
        // Unknown users are omitted, if somebody is logged in.
        if (error instanceof RpcError && error.code === 400) return [];
        throw error;
      }
    }),

  "users.getFullUser"({ id }, call) {
    const { world, person } = call;
    const user = resolveUser(call, id);
    const photo = user.photo === undefined ? undefined : world.state.files.get(user.photo);
    return {
      _: "users.userFull",
      fullUser: {
        _: "userFull",
        id: user.id,
        blocked: person.blocked.has(user.id),
        contactRequirePremium: user.writers === "premium",
        settings: { _: "peerSettings" },
        notifySettings: { _: "peerNotifySettings" },
        commonChatsCount: 0,
        ...defined({ profilePhoto: photo && renderPhoto(world, person, photo) }),
      },
      chats: [],
      users: [renderUser(world, person, user)],
    };
  },
} satisfies Methods;
