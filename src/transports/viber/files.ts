import type { FileResume, HttpRequest, HttpResponse, OpenedFile } from "../../core/transport/connector.ts";
import type { FileRef } from "../../core/transport/events.ts";
import { noResponse } from "../kit/no-response.ts";
import { isFile, noSuchFile, resumeHeaders, toOpenedFile, typeIn } from "../kit/opened-file.ts";
import type { Access } from "./client.ts";
import { Refusal, STATUS } from "./errors.ts";

const MAX_REDIRECTS = 3;

/** Opens an inbound file or a person's picture by its public URL, which is valid for some hours. */
export async function openFile(
  access: Access,
  file: FileRef,
  signal: AbortSignal,
  resume?: FileResume,
): Promise<OpenedFile> {
  const answer = await fetchFile(access, file.token, { signal, headers: resumeHeaders(resume) });
  if (!isFile(answer)) {
    answer.stream().destroy();
    if (answer.status === 429) throw new Refusal(STATUS.tooManyRequests, "HTTP 429");
    throw noSuchFile("Viber", answer.status >= 500);
  }
  const mimeType = typeIn(answer.headers["content-type"]) ?? file.mimeType;
  return toOpenedFile(answer, { ...file, mimeType });
}

async function fetchFile(
  access: Access,
  address: string,
  options: Pick<HttpRequest, "headers" | "signal">,
): Promise<HttpResponse> {
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!isVibers(url, access.settings.apiUrl)) throw noSuchFile("Viber");
    const answer = await access.request({ method: "GET", url, ...options }).catch((error: unknown) => {
      throw noResponse(error, "Viber", true);
    });
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status > 399 || typeof location !== "string") return answer;
    answer.stream().destroy();
    url = URL.canParse(location, url) ? new URL(location, url).href : "";
  }
  throw noSuchFile("Viber");
}

/**
 * Whether the URL is on Viber's own hosts. Callbacks are signed with the bot's token, which its owner knows; the
 * owner could sign a callback with a URL inside the installation's network.
 */
export function isVibers(address: string, apiUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host, hostname } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return false;
  return hostname === "viber.com" || hostname.endsWith(".viber.com") || host === new URL(apiUrl).host;
}
