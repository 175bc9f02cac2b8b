import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { Agent, type Dispatcher } from "undici";
import { FilesUnavailable } from "../file/files.ts";
import { messageOf } from "../message-of.ts";

/** The location of the objects, and the credentials. */
export interface S3Options {
  /** Without a trailing slash; the bucket is part of the path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The prefix of every key, such as `trunkline/`; may be empty. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The store refused the request. `code` is the store's error code, such as NoSuchKey; "" if there was none. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  readonly status: number;
  readonly code: string;
  constructor(what: string, { status, code, text }: { status: number; code: string; text: string }) {
    super(`${what}: the S3 store responded with ${status} ${code} ${text}`.trimEnd());
    this.status = status;
    this.code = code;
  }
}

/** A stored part of an upload. */
export interface UploadedPart {
  readonly number: number;
  readonly etag: string;
}

/** The S3 calls that the service uses. Each is retried a few times if the store is unavailable or overloaded. */
export interface S3Client {
  put(key: string, body: readonly Buffer[]): Promise<void>;
  /** The bytes, or those from `start` to `end` inclusive. */
  get(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  /** The size in bytes; undefined if there is no such object. */
  size(key: string): Promise<number | undefined>;
  /** Removing a missing object succeeds. */
  remove(key: string): Promise<void>;
  /** Starts a multipart upload and returns its id. It is invisible until `complete`. */
  begin(key: string): Promise<string>;
  /** Every part except the last has at least 5 MiB; reusing a number replaces the part. */
  uploadPart(
    key: string,
    part: { uploadId: string; number: number; body: readonly Buffer[] },
  ): Promise<UploadedPart>;
  complete(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<void>;
  abort(key: string, uploadId: string): Promise<void>;
  close(): Promise<void>;
}

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;
const TIMEOUT_MS = 60_000;

type Answer = Dispatcher.ResponseData<unknown>;

interface Call {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly query?: string;
  readonly body?: readonly Buffer[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens connections on demand; creating the client makes no requests. */
export function createS3Client(options: S3Options): S3Client {
  const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
  const agent = new Agent({ ...timeouts, connections: 32 });
  // Whoever reads a file slowly holds its connection for as long; the other calls must not wait for it.
  const readers = new Agent(timeouts);
  const call = (key: string, request: Call): Promise<Answer> =>
    ask(request.method === "GET" ? readers : agent, options, { key, request });
  const text = async (key: string, request: Call): Promise<string> => (await call(key, request)).body.text();
  return {
    put: async (key, body) => void (await text(key, { method: "PUT", body })),
    async get(key, range) {
      const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
      return (await call(key, { method: "GET", headers })).body;
    },
    async size(key) {
      try {
        const answer = await call(key, { method: "HEAD" });
        await answer.body.dump();
        return Number(answer.headers["content-length"]);
      } catch (error) {
        if (error instanceof S3Error && error.status === 404) return undefined;
        throw error;
      }
    },
    async remove(key) {
      try {
        await text(key, { method: "DELETE" });
      } catch (error) {
        // Some stores, such as Google Cloud Storage, report a missing object.
        if (!(error instanceof S3Error && error.code === "NoSuchKey")) throw error;
      }
    },
    async begin(key) {
      const answer = await text(key, { method: "POST", query: "uploads=" });
      const uploadId = element(answer, "UploadId");
      if (uploadId === "") throw new Error(`The S3 store did not start an upload: ${answer.slice(0, 200)}`);
      return uploadId;
    },
    async uploadPart(key, { uploadId, number, body }) {
      const query = `partNumber=${number}&uploadId=${encodeURIComponent(uploadId)}`;
      const answer = await call(key, { method: "PUT", query, body });
      await answer.body.dump();
      return { number, etag: String(answer.headers["etag"] ?? "") };
    },
    async complete(key, uploadId, parts) {
      const list = parts.map(
        ({ number, etag }) =>
          `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
      );
      const body = [Buffer.from(`<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`)];
      const query = `uploadId=${encodeURIComponent(uploadId)}`;
      const answer = await text(key, { method: "POST", query, body });
      // Completing may take so long that the store sends the status before the outcome.
      const code = /<Error>/.test(answer) ? element(answer, "Code") : null;
      if (code !== null)
        throw new S3Error("completing an upload", { status: 200, code, text: element(answer, "Message") });
    },
    abort: async (key, uploadId) =>
      void (await text(key, { method: "DELETE", query: `uploadId=${encodeURIComponent(uploadId)}` })),
    async close() {
      await Promise.all([agent.destroy(), readers.destroy()]);
    },
  };
}

/** Returns a success. Throws `S3Error` for a refusal, and `FilesUnavailable` if the store stays away or overloaded. */
async function ask(
  agent: Agent,
  options: S3Options,
  { key, request }: { key: string; request: Call },
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await send(agent, options, { key, request });
      if (answer.statusCode < 300) return answer;
      throw await refusal(answer, request);
    } catch (error) {
      if (error instanceof S3Error && !isTransient(error)) throw error;
      if (attempt >= ATTEMPTS)
        throw new FilesUnavailable(`The S3 store is unavailable: ${messageOf(error)}`, { cause: error });
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
    }
  }
}

function isTransient({ status }: S3Error): boolean {
  return status >= 500 || status === 429 || status === 408;
}

async function send(
  agent: Agent,
  options: S3Options,
  { key, request }: { key: string; request: Call },
): Promise<Answer> {
  const { method, query = "", body = [], headers = {} } = request;
  const hash = createHash("sha256");
  for (const piece of body) hash.update(piece);
  const signer = new AwsV4Signer({
    method,
    url: `${options.endpoint}/${options.bucket}/${encodeKey(options.prefix + key)}${query === "" ? "" : `?${query}`}`,
    headers: { ...headers, "x-amz-content-sha256": hash.digest("hex") },
    service: "s3",
    region: options.region,
    accessKeyId: options.accessKeyId,
    secretAccessKey: options.secretAccessKey,
  });
  const signed = await signer.sign();
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const sends = method === "PUT" || method === "POST";
  return agent.request({
    origin: signed.url.origin,
    path: signed.url.pathname + signed.url.search,
    method,
    headers: {
      ...Object.fromEntries(signed.headers),
      ...(sends ? { "content-length": String(length) } : {}),
    },
    // Sends the buffers one by one, because concatenating them would double the memory.
    body: length === 0 ? null : Readable.from(body, { objectMode: false }),
  });
}

async function refusal({ statusCode: status, body }: Answer, { method }: Call): Promise<S3Error> {
  const text = await body.text();
  return new S3Error(method, { status, code: element(text, "Code"), text: element(text, "Message") });
}

function encodeKey(key: string): string {
  return key.split("/").map(encodeURIComponent).join("/");
}

/** The text of the first such element; "" if there is none. */
function element(xml: string, name: string): string {
  const [, text = ""] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
