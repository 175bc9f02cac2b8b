import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Dispatcher } from "undici";
import { newId } from "../ids.ts";
import { connectionFailure } from "../network/connection-failure.ts";
import { BlockedAddress } from "../network/guarded-lookup.ts";
import { isHttpUrl } from "../network/safe-fetch.ts";
import { downloadName } from "./download-name.ts";
import { DiskFull, explainDiskError, FileTooBig, type StoredFile, writeStream } from "./files.ts";
import { Pace } from "./pace.ts";

export interface DownloadRequest {
  readonly url: string;
  /** Controls which addresses can be reached, see `createGuardedDispatcher`. */
  readonly dispatcher: Dispatcher;
  readonly maxBytes: number;
  /** What the client declared about the file; a difference is a `DownloadMismatch`. `sha1`: 40 hex digits. */
  readonly expected?: { readonly size?: number; readonly sha1?: string };
  /** The target directory; created if missing. */
  readonly directory: string;
  readonly signal?: AbortSignal;
  /** Limit for the whole download, default 600,000. A pause of 30 s also ends it, and a slow host (see `Pace`). */
  readonly timeoutMs?: number;
}

export interface DownloadedFile extends StoredFile {
  readonly path: string;
  /** From the server, without parameters; "application/octet-stream" if it states none. */
  readonly mimeType: string;
  /** From Content-Disposition or the URL, safe as a file name. */
  readonly name: string;
  remove(): Promise<void>;
}

export class DownloadTooBig extends Error {
  override readonly name = "DownloadTooBig";
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

export class DownloadMismatch extends Error {
  override readonly name = "DownloadMismatch";
}

/** `status` is set if the server sent an error response. */
export class DownloadFailed extends Error {
  override readonly name = "DownloadFailed";
  readonly status: number | undefined;
  constructor(message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.status = options.status;
  }
}

const MAX_REDIRECTS = 5;
const TOTAL_MS = 600_000;
const IDLE_MS = 30_000;
const HEADERS_MS = 30_000;

type Answer = Dispatcher.ResponseData<unknown>;

/**
 * Streams a file to disk without buffering it in memory. Follows up to five redirects, each checked like the first
 * URL. Throws `DownloadTooBig`, `DownloadMismatch`, `DownloadFailed` or `DiskFull`, and then leaves no file.
 */
export async function downloadToDisk(request: DownloadRequest): Promise<DownloadedFile> {
  const path = join(request.directory, `${newId()}.download`);
  const remove = () => rm(path, { force: true });
  const limit = AbortSignal.timeout(request.timeoutMs ?? TOTAL_MS);
  const signal = request.signal === undefined ? limit : AbortSignal.any([limit, request.signal]);
  try {
    await mkdir(request.directory, { recursive: true, mode: 0o700 });
    const { answer, url } = await fetchFollowing(request, signal);
    const stored = await store(answer, path, request);
    const mimeType = String(answer.headers["content-type"] ?? "")
      .split(";")[0]
      ?.trim()
      .toLowerCase();
    const name = downloadName(url, answer.headers["content-disposition"]);
    return { ...stored, path, name, mimeType: mimeType || "application/octet-stream", remove };
  } catch (error) {
    await remove();
    throw classify(error, request, limit);
  }
}

/**
 * The file's size in bytes as declared by its server, without downloading it; null if it is not available in time.
 */
export async function declaredSize(
  request: Pick<DownloadRequest, "url" | "dispatcher"> & { readonly timeoutMs: number },
): Promise<number | null> {
  try {
    const { answer } = await fetchFollowing(request, AbortSignal.timeout(request.timeoutMs), "HEAD");
    answer.body.on("error", () => {}).destroy();
    const size = Number(answer.headers["content-length"] ?? Number.NaN);
    return Number.isSafeInteger(size) ? size : null;
  } catch {
    return null;
  }
}

/**
 * Removes the leftovers of killed processes. Younger files may belong to another process that shares the directory.
 */
export async function removeOldDownloads(directory: string, olderThanMs: number): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((each) => /\.(download|media)$/.test(each))) {
    const path = join(directory, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - olderThanMs) await rm(path, { force: true });
  }
}

async function fetchFollowing(
  { url: first, dispatcher }: Pick<DownloadRequest, "url" | "dispatcher">,
  signal: AbortSignal,
  method: "GET" | "HEAD" = "GET",
): Promise<{ answer: Answer; url: URL }> {
  let url = first;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    if (!isHttpUrl(url)) throw new DownloadFailed("The URL is not a public http or https URL");
    const { origin, pathname, search } = new URL(url);
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method,
      headers: { "user-agent": "trunkline", accept: "*/*", "accept-encoding": "identity" },
      headersTimeout: HEADERS_MS,
      bodyTimeout: IDLE_MS,
      signal,
    });
    const { statusCode } = answer;
    if (statusCode === 200) return { answer, url: new URL(url) };
    // The body is not needed, but errors of an unread body must be handled.
    answer.body.on("error", () => {}).destroy();
    const location = answer.headers["location"];
    if (statusCode < 300 || statusCode > 399 || typeof location !== "string")
      throw new DownloadFailed(`The server responded with ${statusCode}`, { status: statusCode });
    url = URL.parse(location, url)?.href ?? "";
  }
  throw new DownloadFailed(`The server redirects more than ${MAX_REDIRECTS} times`);
}

async function store(answer: Answer, path: string, request: DownloadRequest): Promise<StoredFile> {
  const { maxBytes, expected = {} } = request;
  const announced = Number(answer.headers["content-length"] ?? Number.NaN);
  if (announced > maxBytes) {
    answer.body.on("error", () => {}).destroy();
    throw new DownloadTooBig(maxBytes);
  }
  const pace = new Pace((reason) => answer.body.destroy(new DownloadFailed(reason)));
  const count = (bytes: number): void => pace.add(bytes);
  const stored = await writeStream(path, answer.body, maxBytes, count).finally(() => pace.stop());
  if (expected.size !== undefined && expected.size !== stored.size)
    throw new DownloadMismatch(`The file has ${stored.size} bytes, but ${expected.size} were declared`);
  if (expected.sha1 !== undefined && expected.sha1.toLowerCase() !== stored.sha1)
    throw new DownloadMismatch(`The file's SHA-1 is ${stored.sha1}, but ${expected.sha1} was declared`);
  return stored;
}

function classify(error: unknown, request: DownloadRequest, limit: AbortSignal): unknown {
  if (error instanceof FileTooBig) return new DownloadTooBig(request.maxBytes);
  const explained = explainDiskError(error, request.directory);
  if (
    explained instanceof DiskFull ||
    error instanceof DownloadTooBig ||
    error instanceof DownloadMismatch ||
    error instanceof DownloadFailed
  )
    return explained;
  if (limit.aborted) return new DownloadFailed("The download took too long", { cause: error });
  if (error instanceof BlockedAddress)
    return new DownloadFailed("The URL is not a public http or https URL", { cause: error });
  return new DownloadFailed(`The file could not be fetched: ${connectionFailure(error)}`, { cause: error });
}
