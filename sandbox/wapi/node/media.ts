import { answerText, type Exchange } from "../../http/exchange.ts";
import { badParam } from "../../meta/graph-error.ts";
import { tokenFault } from "../../meta/token-fault.ts";
import type { PhoneNumber } from "../account/phone-number.ts";
import { findCaller, mayUse, needScope, tokenText } from "../call/auth.ts";
import type { EdgeTable, GraphCall } from "../call/call.ts";
import { whatsAppError } from "../call/whatsapp-error.ts";
import type { Media } from "../media/media-registry.ts";
import { bareType, maxUploadBytes, uploadTypes } from "../media/media-type.ts";
import type { World } from "../world.ts";

/** The path of downloads; on the platform another host, `lookaside.fbsbx.com`. */
export const downloadPath = "/whatsapp_business/attachments/";

/** The edges of a file. */
export const mediaEdges: EdgeTable<Media> = {
  "GET ": readMedia,
  "DELETE ": ({ world, caller, param }, media) => {
    needScope(caller, "whatsapp_business_messaging");
    checkOwner(param.text("phone_number_id"), media);
    world.media.delete(media);
    world.changed();
    return { success: true };
  },
};

/** `POST /{number}/media`: multipart with `messaging_product`, `file` and, perhaps, `type`. */
export async function uploadMedia(
  { world, caller, param, files }: GraphCall,
  number: PhoneNumber,
): Promise<unknown> {
  needScope(caller, "whatsapp_business_messaging");
  param.only("messaging_product", "type");
  param.needOneOf("messaging_product", ["whatsapp"]);
  const file = files.get("file");
  if (!file) throw badParam("The parameter file is required.");
  const mime = bareType(file.mime);
  if (!uploadTypes.includes(mime)) {
    throw badParam(
      `Param file must be a file with one of the following types: ${uploadTypes.join(", ")}. ` +
        `Received file of type '${mime}'.`,
    );
  }
  const limit = maxUploadBytes(mime);
  if (file.size > limit) {
    throw whatsAppError(
      131053,
      `Media file size too big: ${file.size} bytes. Max for ${mime}: ${limit} bytes.`,
    );
  }
  const blob = { key: file.key, size: file.size };
  const media = await world.media.add({ numberId: number.id, blob, mime, name: file.name, source: "upload" });
  world.changed();
  return { id: media.id };
}

/** `GET /{media}`: the download link, valid for five minutes. */
function readMedia({ world, caller, param }: GraphCall, media: Media): unknown {
  needScope(caller, "whatsapp_business_messaging");
  checkOwner(param.text("phone_number_id"), media);
  return {
    messaging_product: "whatsapp",
    url: downloadUrl(world, media),
    mime_type: media.mime,
    sha256: media.sha256,
    file_size: String(media.size),
    id: media.id,
  };
}

/** A new link, valid for five minutes. */
export function downloadUrl(world: World, media: Media): string {
  return `${world.url()}${downloadPath}?${world.media.openLink(media)}`;
}

function checkOwner(numberId: string | undefined, media: Media): void {
  if (numberId === undefined || numberId === media.numberId) return;
  throw whatsAppError(131009, "The media does not belong to the given phone number.");
}

/** `GET` on a download link; requires the token. */
export function serveDownload(world: World, exchange: Exchange): void {
  const query = new URLSearchParams(exchange.query);
  const caller = findCaller(world, tokenText(exchange) ?? "");
  const media = world.media.byLink(query.get("mid") ?? "", query.get("hash") ?? "");
  const number = media && world.numbers.get(media.numberId);
  if (!caller?.token || tokenFault(caller.token, world.clock)) refuse(exchange, 401);
  else if (!media || !number || !mayUse(caller, number.waba)) refuse(exchange, 404);
  else send(world, exchange, media);
}

function send(world: World, exchange: Exchange, media: Media): void {
  exchange.response.writeHead(200, {
    "Content-Type": media.mime,
    "Content-Length": media.size,
    ...(media.name && {
      "Content-Disposition": `inline;filename="${encodeURIComponent(media.name)}"`,
    }),
  });
  const stream = world.media.blobs.read(media.blobKey);
  stream.on("error", () => exchange.response.destroy());
  stream.pipe(exchange.response);
}

function refuse(exchange: Exchange, status: number): void {
  answerText(exchange, status, status === 401 ? '{"error":"Unauthorized"}' : '{"error":"Not Found"}');
}
