import { isMedia } from "../attach/attach.ts";
import type { Media, MediaKind } from "../media/store.ts";
import { opcode } from "../opcode.ts";
import { badPayload, notFound } from "../refusal.ts";
import { needChat } from "./chats.ts";
import { type MemberCall, needMessageId, needNumber, type Operations } from "./operation.ts";

const uploadFields = ["count", "type", "uploaderType", "profile"];

/** Where files are uploaded to and downloaded from. */
export const fileOperations: Operations<MemberCall> = {
  [opcode.photoUpload]: { name: "PHOTO_UPLOAD", fields: uploadFields, run: photoUpload },
  [opcode.videoUpload]: { name: "VIDEO_UPLOAD", fields: uploadFields, run: videoUpload },
  [opcode.fileUpload]: { name: "FILE_UPLOAD", fields: uploadFields, run: fileUpload },
  [opcode.videoPlay]: {
    name: "VIDEO_PLAY",
    fields: ["chatId", "messageId", "videoId", "token"],
    run: videoPlay,
  },
  [opcode.fileDownload]: {
    name: "FILE_DOWNLOAD",
    fields: ["chatId", "messageId", "fileId"],
    run: fileDownload,
  },
};

function countOf({ fields }: MemberCall): number {
  const count = fields.integer("count") ?? 1;
  if (count < 1 || count > 10) throw badPayload("count must be 1 to 10");
  fields.flag("profile");
  return count;
}

function photoUpload(call: MemberCall): unknown {
  if (countOf(call) !== 1) throw badPayload("count must be 1");
  return { url: call.world.media.uploadUrl(call.world.media.reserve("photo", call.account.id)) };
}

/** `type` 2 with `uploaderType` 1 is a voice message, 1 with 1 a round video. */
function videoUpload(call: MemberCall): unknown {
  const type = call.fields.integer("type") ?? 0;
  if (![0, 1, 2].includes(type)) throw badPayload("type must be 0, 1 or 2");
  if ((call.fields.integer("uploaderType") ?? 0) !== (type === 0 ? 0 : 1))
    throw badPayload("uploaderType does not fit type");
  return { info: places(call, type === 2 ? "audio" : "video", "videoId") };
}

function fileUpload(call: MemberCall): unknown {
  return { info: places(call, "file", "fileId") };
}

function places(call: MemberCall, kind: MediaKind, idField: string): unknown[] {
  const { world, account } = call;
  return Array.from({ length: countOf(call) }, () => {
    const slot = world.media.reserve(kind, account.id);
    return { url: world.media.uploadUrl(slot), [idField]: slot.id, token: slot.token };
  });
}

/** Addresses by quality, as parsed by public clients; `EXTERNAL` is a page that shows the video. */
function videoPlay(call: MemberCall): unknown {
  const file = fileOf(call, { field: "videoId", kind: "video" });
  const url = call.world.media.temporaryUrl(file);
  return { EXTERNAL: `https://m.ok.ru/video/${file.id}`, cache: false, MP4_480: url, MP4_720: url, url };
}

function fileDownload(call: MemberCall): unknown {
  const file = fileOf(call, { field: "fileId", kind: "file" });
  return { url: call.world.media.temporaryUrl(file), unsafe: false };
}

/** A file can be downloaded only through a message that contains it. */
function fileOf(call: MemberCall, { field, kind }: { field: string; kind: MediaKind }): Media {
  const { world, fields } = call;
  const message = needChat(call).message(needMessageId(fields, "messageId"));
  const id = needNumber(fields, field);
  const isThere = message?.attaches.some((attach) => isMedia(attach) && attach.mediaId === id);
  if (!isThere || message?.status === "REMOVED") throw notFound(`file ${id} in this message`);
  const file = world.media.get(id);
  if (file.kind !== kind) throw notFound(`${kind} ${id}`);
  return file;
}
