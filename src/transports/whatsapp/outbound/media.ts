import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { WASocket } from "baileys";
import type { OpenedFile } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { FileRef } from "../../../core/transport/events.ts";
import type { ProxyRoute } from "../../../platform/network/proxy/proxy.ts";
import { toTransportError } from "../errors.ts";
import { type FileToken, parseFileToken } from "../file-token.ts";
import { downloadContentFromMessage } from "../library.ts";
import { fetchOptions } from "../proxied-fetch.ts";

/** Where files are downloaded from: `home` is the WebSocket URL. */
export interface MediaSource {
  readonly home: string;
  readonly proxy: ProxyRoute | null;
  readonly signal: AbortSignal;
}

const OWN_HOST = /(^|\.)whatsapp\.(net|com)$/;

/**
 * Downloads and decrypts a file; WhatsApp stores files for some weeks. Needs no connection of the account.
 */
export async function openFile(file: FileRef, source: MediaSource): Promise<OpenedFile> {
  const token = parseFileToken(file.token);
  if (token === null) throw new TransportError("GENERAL_ERROR", "This is not a WhatsApp file");
  const stream = await fetchStream(token, source);
  stream.on("error", () => undefined);
  return {
    stream,
    ...(file.name === undefined ? {} : { name: file.name }),
    ...(file.mimeType === undefined ? {} : { mimeType: file.mimeType }),
    ...(file.size === undefined ? {} : { size: file.size }),
  };
}

/** Opens the picture of a person or a group, which is not encrypted. Throws `TransportError`. */
export async function openPicture(
  { profilePictureUrl }: Pick<WASocket, "profilePictureUrl">,
  jid: string,
  { home, proxy, signal }: MediaSource,
): Promise<OpenedFile> {
  const url = await profilePictureUrl(jid, "image").catch((error: unknown) => {
    throw toTransportError(error, { sent: false });
  });
  const named = url !== undefined && URL.canParse(url) ? new URL(url) : null;
  const own = OWN_HOST.test(new URL(home).hostname) ? undefined : new URL(home).host;
  if (named === null || !(OWN_HOST.test(named.hostname) || named.host === own))
    throw new TransportError("GENERAL_ERROR", "WhatsApp returned an invalid URL for the picture");
  const answer = await fetch(named, { signal, redirect: "manual", ...fetchOptions(proxy) }).catch(
    (error: unknown) => {
      throw new TransportError("UNKNOWN_ERROR", "WhatsApp did not respond", { retry: "later", cause: error });
    },
  );
  if (answer.status >= 300 && answer.status < 400)
    throw new TransportError("GENERAL_ERROR", "WhatsApp redirects the request for the picture");
  if (!answer.ok || answer.body === null)
    throw new TransportError("UNKNOWN_ERROR", "WhatsApp did not return the picture", { retry: "later" });
  const stream = Readable.fromWeb(answer.body as ReadableStream);
  stream.on("error", () => undefined);
  return { stream, mimeType: "image/jpeg" };
}

/** The decrypted, still compressed bytes of a part of the account's history. Throws `TransportError`. */
export function openHistory(
  { directPath, mediaKey }: { readonly directPath: string; readonly mediaKey: Uint8Array },
  source: MediaSource,
): Promise<Readable> {
  const key = Buffer.from(mediaKey).toString("base64");
  return fetchStream({ type: "md-msg-hist", key, path: directPath, url: "" }, source);
}

/** A file, or a part of the history. */
type Stored = Omit<FileToken, "type"> & { readonly type: FileToken["type"] | "md-msg-hist" };

async function fetchStream(token: Stored, { home, proxy, signal }: MediaSource): Promise<Readable> {
  const host = hostOf(token, home);
  if (!token.path.startsWith("/"))
    throw new TransportError("GENERAL_ERROR", "WhatsApp returned an invalid path for the file");
  const media = { mediaKey: Buffer.from(token.key, "base64"), directPath: token.path, url: null };
  try {
    const stream = await downloadContentFromMessage(media, token.type, {
      ...(host === undefined ? {} : { host }),
      options: fetchOptions(proxy),
    });
    if (signal.aborted) stream.destroy();
    signal.addEventListener("abort", () => stream.destroy(new Error("The download took too long")), {
      once: true,
    });
    return stream;
  } catch (error) {
    if (isGone(error)) throw new TransportError("GENERAL_ERROR", "WhatsApp no longer has the file");
    throw toTransportError(error, { sent: false });
  }
}

/** The sender of a message names the host of its file, so only WhatsApp's own hosts are used, or the emulator. */
function hostOf({ url }: Stored, home: string): string | undefined {
  const named = URL.canParse(url) ? new URL(url) : null;
  if (named !== null && OWN_HOST.test(named.hostname)) return named.host;
  const { host, hostname } = new URL(home);
  return OWN_HOST.test(hostname) ? undefined : host;
}

function isGone(error: unknown): boolean {
  const { output } = error as { readonly output?: { readonly statusCode?: number } };
  return output?.statusCode === 404 || output?.statusCode === 410;
}
