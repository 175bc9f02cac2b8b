import type { HttpResponse, OutboundFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { encodeMultipart } from "../../platform/network/multipart.ts";
import { isJson, type Json, parsed } from "../kit/json.ts";
import type { MaxbotClient } from "./client.ts";
import { Refusal } from "./errors.ts";
import type { UploadType } from "./outbound.ts";

/** Long enough for a large file. */
const UPLOAD_TIMEOUT_MS = 600_000;
/**
 * The statuses by which an upload host rejects the file itself. Any other failure concerns the host or the upload's
 * address, never the bot's token.
 */
const FILE_REFUSALS: readonly number[] = [400, 413, 415, 422];

/**
 * Uploads a file and returns the attachment for it (dev.max.ru, "POST /uploads"). The token of a video or audio comes
 * before the upload, that of a file or picture after it. Nothing has been sent yet, so every failure may be retried.
 */
export async function upload(
  client: MaxbotClient,
  { file, type }: { readonly file: OutboundFile; readonly type: UploadType },
  signal: AbortSignal,
): Promise<Json> {
  const slot = await client.call("POST", "/uploads", { query: { type }, signal });
  if (typeof slot["url"] !== "string") throw unreadable("upload without a URL");
  const answer = await client.fetch({
    method: "POST",
    url: slot["url"],
    ...encodeMultipart({}, file, "data"),
    timeoutMs: UPLOAD_TIMEOUT_MS,
    signal,
  });
  const said = await readUpload(answer, client);
  const token = said["token"] ?? slot["token"];
  if (type === "image" && isJson(said["photos"])) return { type, payload: { photos: said["photos"] } };
  if (typeof token !== "string") throw unreadable("upload without a token");
  return { type, payload: { token } };
}

/** Video hosts respond with XML, the others with JSON. Throws `Refusal` if the host rejects the file. */
async function readUpload(answer: HttpResponse, client: MaxbotClient): Promise<Json> {
  const bytes = await answer.bytes().catch(() => new Uint8Array());
  const text = new TextDecoder().decode(bytes);
  const { status } = answer;
  if (FILE_REFUSALS.includes(status))
    throw new Refusal(status, "errors.process.attachment.upload", client.redact(text.slice(0, 200)));
  if (status < 200 || status > 299) throw unreadable(`HTTP ${status}`);
  const body = parsed(text);
  return isJson(body) ? body : {};
}

function unreadable(data: string): TransportError {
  return new TransportError("UNKNOWN_ERROR", "MAX returned an unreadable response", { retry: "later", data });
}
