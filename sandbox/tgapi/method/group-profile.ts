import type { tl } from "@mtcute/core";
import type { Call, Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { resolveChannel } from "../rpc/peer.ts";
import type { StoredFile } from "../world/file-store.ts";
import type { Group } from "../world/group.ts";
import { rename, setPhoto } from "../world/membership.ts";
import type { Posted } from "../world/post.ts";
import { needChat } from "./groups.ts";
import { actor, needAdmin, updatesOf } from "./own-change.ts";
import { storedFile, takePhoto } from "./upload-file.ts";

const maxTitle = 128;
/** The smallest side of a group's picture, in pixels. */
const minPhotoSide = 160;

/** The title and the picture of groups. */
export const groupProfileMethods = {
  "messages.editChatTitle"({ chatId, title }, call) {
    return updatesOf(call, retitle(call, needChat(call, chatId), title));
  },

  "channels.editTitle"({ channel, title }, call) {
    return updatesOf(call, retitle(call, resolveChannel(call, channel), title));
  },

  async "messages.editChatPhoto"({ chatId, photo }, call) {
    return updatesOf(call, await changePhoto(call, needChat(call, chatId), photo));
  },

  async "channels.editPhoto"({ channel, photo }, call) {
    return updatesOf(call, await changePhoto(call, resolveChannel(call, channel), photo));
  },
} satisfies Methods;

function retitle(call: Call, group: Group, title: string): Posted {
  needAdmin(call, group);
  if (title.trim() === "") throw bad("CHAT_TITLE_EMPTY");
  if (title === group.title) throw bad("CHAT_NOT_MODIFIED");
  return rename(call.world, group, title.slice(0, maxTitle), actor(call));
}

async function changePhoto(call: Call, group: Group, input: tl.TypeInputChatPhoto): Promise<Posted> {
  needAdmin(call, group);
  const file = await readPhoto(call, input);
  if (group.photo === file?.id) throw bad("CHAT_NOT_MODIFIED");
  return setPhoto(call.world, group, file, actor(call));
}

async function readPhoto(call: Call, input: tl.TypeInputChatPhoto): Promise<StoredFile | undefined> {
  if (input._ === "inputChatPhotoEmpty") return undefined;
  if (input._ === "inputChatPhoto") {
    if (input.id._ !== "inputPhoto") throw bad("PHOTO_INVALID");
    return storedFile(call, input.id, "PHOTO_INVALID");
  }
  if (!input.file) throw bad("PHOTO_INVALID");
  const file = await takePhoto(call, input.file);
  if (Math.min(file.width, file.height) < minPhotoSide) throw bad("PHOTO_CROP_SIZE_SMALL");
  return file;
}
