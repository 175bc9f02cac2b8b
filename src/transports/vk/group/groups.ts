import { GroupRefused } from "../../../core/transport/errors.ts";
import type { GroupMethods } from "../../../core/transport/groups.ts";
import type { Community } from "../community.ts";
import { changeChat } from "./change.ts";
import { createChat } from "./create.ts";
import { readChat } from "./read.ts";
import { toGroupError } from "./refusals.ts";

/** `guard` maps errors that do not concern a chat. */
export function groupMethods(
  community: Community,
  guard: <T>(work: () => Promise<T>) => Promise<T>,
): GroupMethods {
  const orRefused = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const refused = toGroupError(error);
      if (refused instanceof GroupRefused) throw refused;
      return guard(() => Promise.reject(refused));
    }
  };
  return {
    create: (request, signal) => orRefused(() => createChat(community, request, signal)),
    read: (chatId, signal) => orRefused(() => readChat(community, chatId, signal)),
    change: (chatId, change, signal) => orRefused(() => changeChat(community, chatId, { change, signal })),
  };
}
