import type { FileResume, OpenedFile } from "../../../core/transport/connector.ts";
import type { FileRef } from "../../../core/transport/events.ts";
import { objectIn, textIn } from "../../kit/json.ts";
import { isFile, noSuchFile, resumeHeaders, toOpenedFile, typeIn } from "../../kit/opened-file.ts";
import { FILE } from "../body.ts";
import { type AvitoChannel, accountPath } from "../channel.ts";

/** Opens an inbound file. A picture has a permanent URL; the URL of a voice message is requested each time. */
export async function openFile(
  channel: AvitoChannel,
  file: FileRef,
  signal: AbortSignal,
  resume?: FileResume,
): Promise<OpenedFile> {
  const url = file.token.startsWith(FILE.voice)
    ? await findVoice(channel, file.token.slice(FILE.voice.length), signal)
    : file.token.slice(FILE.url.length);
  if (!URL.canParse(url)) throw noSuchFile("Avito");
  const answer = await channel.client.fetch({ method: "GET", url, signal, headers: resumeHeaders(resume) });
  if (!isFile(answer)) {
    answer.stream().destroy();
    throw noSuchFile("Avito", answer.status >= 500 || answer.status === 429);
  }
  const mimeType = isVoice(file) ? file.mimeType : (typeIn(answer.headers["content-type"]) ?? file.mimeType);
  return toOpenedFile(answer, { ...file, mimeType });
}

/** Avito declares voice messages as `video/mp4`. */
const isVoice = ({ token }: FileRef): boolean => token.startsWith(FILE.voice);

/** `GET v1 …/getVoiceFiles`: a URL that is valid for an hour. */
async function findVoice(
  { link, client }: AvitoChannel,
  voiceId: string,
  signal: AbortSignal,
): Promise<string> {
  const path = accountPath(link, "v1", "/getVoiceFiles");
  const answer = await client.call("GET", path, { query: { voice_ids: voiceId }, signal });
  const url = textIn(objectIn(answer, "voices_urls"), voiceId);
  if (url === undefined) throw noSuchFile("Avito");
  return url;
}
