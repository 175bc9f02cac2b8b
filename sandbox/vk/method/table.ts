import type { MethodTable } from "../call/call.ts";
import { callbackServerMethods } from "./callback-server.ts";
import { chatMethods } from "./chat.ts";
import { communityMethods } from "./community.ts";
import { conversationMethods } from "./conversation.ts";
import { editMethods } from "./edit.ts";
import { historyMethods } from "./history.ts";
import { presenceMethods } from "./presence.ts";
import { reactionMethods } from "./reaction.ts";
import { sendMethods } from "./send.ts";
import { uploadMethods } from "./upload.ts";

/** All supported methods: https://dev.vk.com/ru/method */
export const methods: MethodTable = {
  ...sendMethods,
  ...editMethods,
  ...presenceMethods,
  ...reactionMethods,
  ...historyMethods,
  ...conversationMethods,
  ...chatMethods,
  ...communityMethods,
  ...callbackServerMethods,
  ...uploadMethods,
};
