import type { HttpAnswer, OpenedFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { FileRef } from "../../core/transport/events.ts";
import { noAnswer } from "../kit/no-answer.ts";
import type { Access } from "./client.ts";
import { Refusal, STATUS } from "./errors.ts";

const MAX_REDIRECTS = 3;

/** Opens an inbound file or a picture of a person by its address, which anybody may fetch for some hours. */
export async function openFile(access: Access, file: FileRef, signal: AbortSignal): Promise<OpenedFile> {
  const answer = await fetchFile(access, file.token, signal);
  const stream = answer.stream();
  // A caller that destroys the stream unread hears of it nowhere else, and must not bring the process down.
  stream.on("error", () => undefined);
  if (answer.status !== 200) {
    stream.destroy();
    if (answer.status === 429) throw new Refusal(STATUS.tooManyRequests, "HTTP 429");
    throw gone(answer.status >= 500);
  }
  const { "content-length": length, "content-type": type } = answer.headers;
  const size = typeof length === "string" && /^\d+$/.test(length) ? Number(length) : file.size;
  const mimeType = typeof type === "string" && type !== "application/octet-stream" ? type : file.mimeType;
  return {
    stream,
    ...(file.name !== undefined && { name: file.name }),
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
  };
}

async function fetchFile(access: Access, address: string, signal: AbortSignal): Promise<HttpAnswer> {
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!isVibers(url, access.settings.apiUrl)) throw gone();
    const answer = await access.request({ method: "GET", url, signal }).catch((error: unknown) => {
      throw noAnswer(error, "Viber", true);
    });
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status > 399 || typeof location !== "string") return answer;
    answer
      .stream()
      .on("error", () => undefined)
      .destroy();
    url = URL.canParse(location, url) ? new URL(location, url).href : "";
  }
  throw gone();
}

/**
 * The token of a bot, with which callbacks are signed, is known to its owner, who could name any address inside the
 * installation's network. Files of Viber's lie on its own hosts.
 */
function isVibers(address: string, apiUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host, hostname } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return false;
  return hostname === "viber.com" || hostname.endsWith(".viber.com") || host === new URL(apiUrl).host;
}

function gone(mayComeBack = false): TransportError {
  return new TransportError("GENERAL_ERROR", "Viber does not have the file", {
    retry: mayComeBack ? "later" : "never",
  });
}
