import type { FileResume, OpenedFile } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { FileRef } from "../../../core/transport/events.ts";
import { objectIn } from "../../kit/json.ts";
import { noResponse, unreadable } from "../../kit/no-response.ts";
import { isFile, lengthIn, resumeHeaders, toOpenedFile } from "../../kit/opened-file.ts";
import { GraphRefusal, readError } from "../../meta/error.ts";
import type { InstagramLink } from "../access.ts";

/** Types that no message file has: such a response is an error page or comes from a proxy. */
const NO_FILES = ["text/html", "application/json"];

/** Opens a file by its signed URL on Meta's servers, which needs no token and is valid for a limited time. */
export async function openFile(
  { request, settings }: Pick<InstagramLink, "request" | "settings">,
  file: FileRef,
  { signal, resume }: { readonly signal: AbortSignal; readonly resume?: FileResume | undefined },
): Promise<OpenedFile> {
  const url = URL.parse(file.token, settings.graphUrl)?.href;
  if (url === undefined) throw gone();
  const answer = await request({ method: "GET", url, signal, headers: resumeHeaders(resume) }).catch(
    (error: unknown) => {
      throw noResponse(error, "Instagram", true);
    },
  );
  if (!isFile(answer)) {
    const error = readError(objectIn(await answer.json().catch(() => undefined), "error"));
    if (error !== null) throw new GraphRefusal(answer.status, error);
    throw gone(answer.status);
  }
  const stream = answer.stream();
  const mimeType = typeOf(answer.headers["content-type"]);
  const size = lengthIn(answer.headers["content-length"]);
  const isBare = size === undefined && answer.headers["content-type"] === undefined;
  if (isBare || size === 0 || (mimeType !== undefined && NO_FILES.includes(mimeType))) {
    stream.destroy();
    throw unreadable(answer.status, "Instagram", true);
  }
  return { ...toOpenedFile(answer, { mimeType }), stream };
}

function gone(status?: number): TransportError {
  if (status === 429)
    return new TransportError("TOO_MANY_EXT_REQS", "Instagram is rate limiting file downloads", {
      retry: { afterMs: 30_000, scope: "channel" },
    });
  return new TransportError("GENERAL_ERROR", "Instagram no longer has the file", {
    retry: status !== undefined && status >= 500 ? "later" : "never",
    data: status === undefined ? undefined : `HTTP ${status}`,
  });
}

export function typeOf(header: string | string[] | undefined): string | undefined {
  const type = typeof header === "string" ? (header.split(";")[0] ?? "").trim() : "";
  return type === "" || type === "application/octet-stream" ? undefined : type;
}
