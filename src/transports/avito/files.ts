import type { OpenedFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { FileRef } from "../../core/transport/events.ts";
import { objectIn, textIn } from "../kit/json.ts";
import { FILE } from "./body.ts";
import { type AvitoChannel, accountPath } from "./channel.ts";

/** Opens an inbound file. Pictures have a lasting address; that of a voice message is asked for each time. */
export async function openFile(
  channel: AvitoChannel,
  file: FileRef,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const url = file.token.startsWith(FILE.voice)
    ? await findVoice(channel, file.token.slice(FILE.voice.length), signal)
    : file.token.slice(FILE.url.length);
  if (!URL.canParse(url)) throw gone();
  const answer = await channel.client.fetch({ method: "GET", url, signal });
  const stream = answer.stream();
  // A caller that destroys the stream unread hears of it nowhere else, and must not bring the process down.
  stream.on("error", () => undefined);
  if (answer.status !== 200) {
    stream.destroy();
    throw gone(answer.status >= 500 || answer.status === 429);
  }
  const { "content-length": length, "content-type": type } = answer.headers;
  const size = typeof length === "string" && /^[0-9]+$/.test(length) ? Number(length) : file.size;
  const mimeType = isVoice(file) ? file.mimeType : (textOf(type) ?? file.mimeType);
  return {
    stream,
    ...(file.name !== undefined && { name: file.name }),
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
  };
}

/** Avito says `video/mp4` of them. */
const isVoice = ({ token }: FileRef): boolean => token.startsWith(FILE.voice);

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && header !== "application/octet-stream" ? header : undefined;
}

/** `GET v1 …/getVoiceFiles`: an address that serves for an hour. */
async function findVoice(
  { link, client }: AvitoChannel,
  voiceId: string,
  signal: AbortSignal,
): Promise<string> {
  const path = accountPath(link, "v1", "/getVoiceFiles");
  const answer = await client.call("GET", path, { query: { voice_ids: voiceId }, signal });
  const url = textIn(objectIn(answer, "voices_urls"), voiceId);
  if (url === undefined) throw gone();
  return url;
}

function gone(mayComeBack = false): TransportError {
  return new TransportError("GENERAL_ERROR", "Avito does not have the file", {
    retry: mayComeBack ? "later" : "never",
  });
}
