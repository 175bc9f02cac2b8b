import { apiError, badPayload, denied } from "../call/api-error.ts";
import type { ApiCall } from "../call/call.ts";
import { uploadTypes } from "../media/media-registry.ts";
import { videoDetails } from "../media/media-shape.ts";

/** The upload path below the emulator's address; on the platform these are separate hosts. */
export const uploadPath = "/upload/";

/** https://dev.max.ru/docs-api/methods/POST/uploads: videos and audio get their token before the upload. */
export function openUpload({ bot, query, world }: ApiCall): unknown {
  const wanted = query.only(["type"]).needText("type");
  const type = uploadTypes.find((known) => known === wanted);
  if (!type) throw badPayload(`Unknown upload type '${wanted}'`);
  const slot = world.media.openSlot(bot.id, type);
  const url = `${world.url()}${uploadPath}${type}/upload.do?sig=${slot.id}`;
  return { url, ...((type === "video" || type === "audio") && { token: slot.token }) };
}

/** https://dev.max.ru/docs-api/methods/GET/videos/-videoToken- */
export function getVideo({ bot, params, query, world }: ApiCall): unknown {
  query.only([]);
  const media = world.media.find(params["videoToken"] ?? "");
  if (media?.type !== "video") throw apiError(404, "not.found", "Video not found");
  if (media.botId !== undefined && media.botId !== bot.id) throw denied("Access denied");
  return videoDetails(world, media);
}
