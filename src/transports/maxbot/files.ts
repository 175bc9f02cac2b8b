import type { FileResume, OpenedFile } from "../../core/transport/connector.ts";
import type { FileRef } from "../../core/transport/events.ts";
import { isJson } from "../kit/json.ts";
import { isFile, noSuchFile, resumeHeaders, toOpenedFile, typeIn } from "../kit/opened-file.ts";
import { FILE } from "./body.ts";
import type { MaxbotClient } from "./client.ts";

/** Opens an inbound file by its public, temporary URL. Throws `Refusal` or `TransportError`. */
export async function openFile(
  client: MaxbotClient,
  file: FileRef,
  signal: AbortSignal,
  resume?: FileResume,
): Promise<OpenedFile> {
  const url = file.token.startsWith(FILE.video)
    ? await findVideo(client, file.token.slice(FILE.video.length), signal)
    : file.token.slice(FILE.url.length);
  if (!URL.canParse(url)) throw noSuchFile("MAX");
  const answer = await client.fetch({ method: "GET", url, signal, headers: resumeHeaders(resume) });
  if (!isFile(answer)) {
    answer.stream().destroy();
    throw noSuchFile("MAX", answer.status >= 500);
  }
  const mimeType = file.mimeType ?? typeIn(answer.headers["content-type"]);
  return toOpenedFile(answer, { ...file, mimeType });
}

/** The URL of the best available quality (dev.max.ru, "GET /videos/{token}": `urls.mp4_1080` … `mp4_144`). */
async function findVideo(client: MaxbotClient, token: string, signal: AbortSignal): Promise<string> {
  const { urls } = await client.call("GET", `/videos/${encodeURIComponent(token)}`, { signal });
  const found = Object.entries(isJson(urls) ? urls : {})
    .filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[0].startsWith("mp4_"))
    .sort(([a], [b]) => Number(b.slice(4)) - Number(a.slice(4)));
  const best = found[0]?.[1];
  if (best === undefined) throw noSuchFile("MAX", true);
  return best;
}
