import type { OpenedFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { FileRef } from "../../core/transport/events.ts";
import { isJson } from "../kit/json.ts";
import { FILE } from "./body.ts";
import type { MaxbotClient } from "./client.ts";

/** Opens an inbound file by its address, which anybody may fetch for a while. Throws `Refusal` or `TransportError`. */
export async function openFile(
  client: MaxbotClient,
  file: FileRef,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const url = file.token.startsWith(FILE.video)
    ? await findVideo(client, file.token.slice(FILE.video.length), signal)
    : file.token.slice(FILE.url.length);
  if (!URL.canParse(url)) throw gone();
  const answer = await client.fetch({ method: "GET", url, signal });
  const stream = answer.stream();
  // A caller that destroys the stream unread hears of it nowhere else, and must not bring the process down.
  stream.on("error", () => undefined);
  if (answer.status !== 200) {
    stream.destroy();
    throw gone(answer.status >= 500);
  }
  const size = sizeOf(answer.headers["content-length"]) ?? file.size;
  const mimeType = file.mimeType ?? typeOf(answer.headers["content-type"]);
  return {
    stream,
    ...(file.name !== undefined && { name: file.name }),
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
  };
}

/** The best quality that there is (dev.max.ru, "GET /videos/{token}": `urls.mp4_1080` … `mp4_144`). */
async function findVideo(client: MaxbotClient, token: string, signal: AbortSignal): Promise<string> {
  const { urls } = await client.call("GET", `/videos/${encodeURIComponent(token)}`, { signal });
  const found = Object.entries(isJson(urls) ? urls : {})
    .filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[0].startsWith("mp4_"))
    .sort(([a], [b]) => Number(b.slice(4)) - Number(a.slice(4)));
  const best = found[0]?.[1];
  if (best === undefined) throw gone(true);
  return best;
}

function gone(mayComeBack = false): TransportError {
  return new TransportError("GENERAL_ERROR", "MAX does not have the file", {
    retry: mayComeBack ? "later" : "never",
  });
}

function sizeOf(length: string | string[] | undefined): number | undefined {
  return typeof length === "string" && /^[0-9]+$/.test(length) ? Number(length) : undefined;
}

function typeOf(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && header !== "application/octet-stream" ? header : undefined;
}
