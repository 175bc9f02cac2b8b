import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { Agent, type Dispatcher } from "undici";

/** Where objects are, and who we are there. */
export interface S3Options {
  /** Without a slash at the end; buckets are named in the path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Before every key, such as `trunkline/`; may be empty. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The store refused. `code` is its own, such as NoSuchKey; "" where it gave none. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  readonly status: number;
  readonly code: string;
  constructor(what: string, { status, code, text }: { status: number; code: string; text: string }) {
    super(`${what}: the S3 store answered ${status} ${code} ${text}`.trimEnd());
    this.status = status;
    this.code = code;
  }
}

/** A stored part of an upload. */
export interface UploadedPart {
  readonly number: number;
  readonly etag: string;
}

/** The calls of the S3 interface that we need. Each is repeated a few times when the store is away or overloaded. */
export interface S3Client {
  put(key: string, body: readonly Buffer[]): Promise<void>;
  /** The bytes, or those from `start` to `end`, both included. */
  get(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  /** Bytes; undefined: there is no such object. */
  size(key: string): Promise<number | undefined>;
  remove(key: string): Promise<void>;
  /** Begins an upload in parts and answers its id. Nothing of it is seen before `complete`. */
  begin(key: string): Promise<string>;
  /** Parts but the last have at least 5 MiB; a number that is used again replaces. */
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

/** Opens connections as they are needed; resolves nothing and asks nobody by itself. */
export function createS3Client(options: S3Options): S3Client {
  const agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, connections: 32 });
  const call = (key: string, request: Call): Promise<Answer> => ask(agent, options, { key, request });
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
    remove: async (key) => void (await text(key, { method: "DELETE" })),
    async begin(key) {
      const answer = await text(key, { method: "POST", query: "uploads=" });
      const uploadId = element(answer, "UploadId");
      if (uploadId === "") throw new Error(`The S3 store began no upload: ${answer.slice(0, 200)}`);
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
      // It takes so long that the status is sent before the outcome is known.
      const code = /<Error>/.test(answer) ? element(answer, "Code") : null;
      if (code !== null)
        throw new S3Error("completing an upload", { status: 200, code, text: element(answer, "Message") });
    },
    abort: async (key, uploadId) =>
      void (await text(key, { method: "DELETE", query: `uploadId=${encodeURIComponent(uploadId)}` })),
    close: () => agent.destroy(),
  };
}

/** A success; everything else is thrown. */
async function ask(
  agent: Agent,
  options: S3Options,
  { key, request }: { key: string; request: Call },
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(agent, options, { key, request }).catch((error: unknown) => {
      if (attempt >= ATTEMPTS) throw error;
      return null;
    });
    if (answer !== null && answer.statusCode < 300) return answer;
    const error = answer === null ? null : await refusal(answer, request);
    if (error !== null && (!mayPass(error) || attempt >= ATTEMPTS)) throw error;
    await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
  }
}

function mayPass({ status }: S3Error): boolean {
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
    // Piece by piece: a copy of all of them would take as much memory again.
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

/** Text of the first such element; "" without one. */
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
