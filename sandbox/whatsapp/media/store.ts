import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Blob, BlobStore } from "../../blob-store.ts";

const tokenLifeMs = 6 * 3600 * 1000;

/** What happens in the middle of a download: the connection breaks, or nothing more arrives. */
export type Interruption = "drop" | "silence";

/** The media server: encrypted files, stored under the hash of their bytes. */
export class MediaStore {
  readonly #blobs: BlobStore;
  readonly #files = new Map<string, Blob>();
  readonly #tokens = new Map<string, number>();
  /** Set once the server listens, for example `127.0.0.1:4321`. */
  #host = "";
  maxBytes: () => number = () => Number.POSITIVE_INFINITY;
  /** Called with each download: whether it is interrupted. */
  takeInterruption: () => Interruption | undefined = () => undefined;
  /** Called when a client ends a download in which nothing more arrived. */
  abandoned: () => void = () => undefined;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  listenAt(host: string): void {
    this.#host = host;
  }

  host(): string {
    return this.#host;
  }

  /** The token for uploads. */
  issueToken(phone: string): string {
    const token = `${phone}.${randomBytes(16).toString("base64url")}`;
    this.#tokens.set(token, Date.now() + tokenLifeMs);
    return token;
  }

  /** Stores a file, encrypted unless it is a profile picture; returns its address. */
  async put(bytes: Uint8Array): Promise<{ readonly url: string; readonly directPath: string }> {
    const key = createHash("sha256").update(bytes).digest("base64url");
    if (!this.#files.has(key)) this.#files.set(key, await this.#blobs.put(bytes));
    return this.#locate(key);
  }

  /** The encrypted bytes of a direct path; undefined if there is no such file. */
  async get(directPath: string): Promise<Buffer | undefined> {
    const blob = this.#files.get(keyOf(directPath));
    if (!blob) return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of this.#blobs.read(blob.key)) chunks.push(Buffer.from(chunk as Uint8Array));
    return Buffer.concat(chunks);
  }

  list(): [key: string, blob: Blob][] {
    return [...this.#files];
  }

  restore(files: Iterable<readonly [key: string, blob: Blob]>): void {
    for (const [key, blob] of files) this.#files.set(key, blob);
  }

  clear(): void {
    for (const { key } of this.#files.values()) void this.#blobs.remove(key);
    this.#files.clear();
    this.#tokens.clear();
  }

  /** Serves uploads (`POST /mms/<kind>/<hash>`) and downloads (`GET` on a direct path). */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "https://media");
    const [status, body] = await this.#answer(request, url);
    if (body === undefined) return this.#stream(url, response);
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  }

  async #answer(request: IncomingMessage, url: URL): Promise<[status: number, body: object | undefined]> {
    if (request.method === "POST" && /^\/mms\/(image|video|audio|document|md-app-state)\//.test(url.pathname))
      return this.#upload(request, url);
    request.resume();
    if (request.method !== "GET") return [405, { error: "method not allowed" }];
    if (!this.#files.has(keyOf(url.pathname))) return [404, { error: "not found" }];
    if (url.searchParams.get("oh") !== proofOf(keyOf(url.pathname))) return [403, { error: "bad url hash" }];
    return [200, undefined];
  }

  async #upload(request: IncomingMessage, url: URL): Promise<[status: number, body: object]> {
    const expires = this.#tokens.get(url.searchParams.get("auth") ?? "") ?? 0;
    if (expires < Date.now()) return this.#reject(request, 401, "invalid auth");
    const hash = createHash("sha256");
    const { maxBytes } = this;
    let size = 0;
    async function* taken(): AsyncIterable<Buffer> {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxBytes()) continue;
        hash.update(chunk);
        yield chunk;
      }
    }
    const file = await this.#blobs.putStream(Readable.from(taken()));
    const key = hash.digest("base64url");
    const named = decodeURIComponent(url.pathname.split("/").at(-1) ?? "");
    const token = url.searchParams.get("token") ?? "";
    const isWhole = size <= this.maxBytes() && [named, token].every((each) => sameHash(each, key));
    if (!isWhole) {
      await this.#blobs.remove(file.key);
      return size > this.maxBytes() ? [413, { error: "too large" }] : [400, { error: "hash mismatch" }];
    }
    this.#files.set(key, file);
    const { url: address, directPath } = this.#locate(key);
    return [200, { url: address, direct_path: directPath }];
  }

  #reject(request: IncomingMessage, status: number, error: string): [status: number, body: object] {
    request.resume();
    return [status, { error }];
  }

  async #stream(url: URL, response: ServerResponse): Promise<void> {
    const blob = this.#files.get(keyOf(url.pathname));
    if (!blob) return;
    response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": blob.size });
    const interruption = this.takeInterruption();
    if (interruption !== undefined) return this.#sendHalf(blob, response, interruption);
    this.#blobs
      .read(blob.key)
      .on("error", () => response.destroy())
      .pipe(response);
  }

  async #sendHalf({ key, size }: Blob, response: ServerResponse, then: Interruption): Promise<void> {
    if (then === "silence") response.once("close", () => this.abandoned());
    const half = await this.#blobs.slice(key, 0, Math.floor(size / 2));
    response.write(half, () => {
      if (then === "drop") response.destroy();
    });
  }

  #locate(key: string): { url: string; directPath: string } {
    const directPath = `/v/t62.7118-24/${key}?ccb=11-4&oh=${proofOf(key)}&oe=7FFFFFFF`;
    return { url: `https://${this.#host}${directPath}`, directPath };
  }
}

/** The last part of the path, without the query. */
function keyOf(path: string): string {
  return path.split("?")[0]?.split("/").at(-1) ?? "";
}

/** Proof that the server issued an address. */
function proofOf(key: string): string {
  return createHash("sha256").update(`url ${key}`).digest("hex").slice(0, 24);
}

/** Clients use base64url, or escaped base64, with or without padding. */
function sameHash(text: string, hash: string): boolean {
  return decodeURIComponent(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") === hash;
}
