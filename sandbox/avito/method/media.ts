import { readMultipart, type Upload } from "../../http/multipart.ts";
import { imageHeadBytes, readImageSize } from "../../image-size.ts";
import { mediaHeadBytes, sniffMediaType } from "../../media-type.ts";
import { apiError, invalidField } from "../api-error.ts";
import { type ApiCall, fieldErrors } from "../call.ts";

const maxFileBytes = 24 * 1024 * 1024;
const maxPixels = 75_000_000;
const field = "uploadfile[]";

/** `POST /messenger/v1/accounts/{user_id}/uploadImages`: one picture. */
export async function uploadImages({ world, account, exchange }: ApiCall): Promise<unknown> {
  const { files } = await readMultipart(exchange.request, world.media.blobs, {
    maxFileBytes,
    maxFieldBytes: 64 * 1024,
    tooLarge: () => apiError(413, "File is too large"),
    unreadable: () => apiError(400, "Bad request"),
  });
  const file = files.get(field);
  if (!file) throw fieldErrors.missing(field);
  if (files.size > 1) throw invalidField(field, "only one image is allowed");
  const mime = await checkImage(world.media.blobs, file);
  const media = world.media.add({ ...file, kind: "image", mime, accountId: account.id });
  world.changed();
  return { [media.id]: world.media.sizes(media) };
}

async function checkImage(blobs: ApiCall["world"]["media"]["blobs"], file: Upload): Promise<string> {
  const mime = sniffMediaType(await blobs.head(file.key, mediaHeadBytes));
  if (!mime || !/^image\/(jpeg|heic|gif|bmp|png)$/.test(mime))
    throw invalidField(field, "unsupported image format");
  const size = readImageSize(await blobs.head(file.key, imageHeadBytes));
  if (size && size.width * size.height > maxPixels) throw invalidField(field, "resolution is too large");
  return mime;
}

/** `GET /messenger/v1/accounts/{user_id}/getVoiceFiles`: links that are valid for an hour. */
export function getVoiceFiles({ world, account, query }: ApiCall): unknown {
  const ids = query.only(["voice_ids"]).list("voice_ids");
  if (!ids) throw fieldErrors.missing("voice_ids");
  const found = ids.map((id) => world.media.find(id)).filter((media) => media?.kind === "voice");
  const own = found.flatMap((media) => (media?.accountId === account.id ? [media] : []));
  return {
    voices_urls: Object.fromEntries(own.map((media) => [media.id, world.media.openVoiceLink(media)])),
  };
}
