import { posix } from "node:path";
import type { FileResume, OpenedFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { FileRef } from "../../core/transport/events.ts";
import { count, fields, listOf, text } from "../../platform/foreign/foreign-json.ts";
import { noSuchFile, resumeHeaders, toOpenedFile } from "../kit/opened-file.ts";
import type { TelegramClient } from "./client.ts";
import { AVATAR_PREFIX } from "./inbound.ts";

/**
 * Opens an inbound file or a person's picture (Bot API, `getFile`, up to 20 MB). Throws `Refusal` or
 * `TransportError`.
 */
export async function openFile(
  client: TelegramClient,
  file: FileRef,
  signal: AbortSignal,
  resume?: FileResume,
): Promise<OpenedFile> {
  const fileId = file.token.startsWith(AVATAR_PREFIX)
    ? await findAvatar(client, Number(file.token.slice(AVATAR_PREFIX.length)), signal)
    : file.token;
  const { file_path, file_size } =
    described(await client.invoke("getFile", { file_id: fileId }, { signal })) ?? {};
  if (file_path === undefined) throw noSuchFile("Telegram", true);
  const answer = await client.download(file_path, signal, resumeHeaders(resume));
  const name = file.name ?? posix.basename(file_path);
  return toOpenedFile(answer, { name, mimeType: file.mimeType ?? typeByName(file_path), size: file_size });
}

const described = fields({ file_path: text, file_size: count });
const pictures = fields({ photos: listOf(listOf(fields({ file_id: text }))) });

/** The largest size of the person's current picture (Bot API, `getUserProfilePhotos`). */
async function findAvatar(client: TelegramClient, userId: number, signal: AbortSignal): Promise<string> {
  const asked = await client.invoke("getUserProfilePhotos", { user_id: userId, limit: 1 }, { signal });
  const picture = pictures(asked)?.photos?.[0]?.at(-1);
  if (picture?.file_id === undefined) throw new TransportError("GENERAL_ERROR", "The person has no picture");
  return picture.file_id;
}

/** Telegram serves every file as `application/octet-stream`; pictures are always JPEG. */
function typeByName(path: string): string | undefined {
  return /\.jpe?g$/i.test(path) ? "image/jpeg" : undefined;
}
