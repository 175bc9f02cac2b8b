import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An S3-compatible store in memory, with one bucket, as the REST documentation of Amazon S3 has it. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Objects by key. */
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Ids of uploads that are neither complete nor aborted. */
  uploads(): string[];
  /** Requests as `METHOD key?query`. */
  readonly requests: readonly string[];
  /** Answers a request by itself instead; null lets it through. */
  intercept: (request: string, count: number) => Refusal | "drop" | null;
  forgetUploads(): void;
  stop(): Promise<void>;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
}

const SMALLEST_PART = 5 * 1024 * 1024;
const CLOCK_SKEW_MS = 15 * 60_000;

interface Part {
  readonly body: Buffer;
  readonly etag: string;
}

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Part>;
}

interface Asked {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

type Reply = {
  readonly status: number;
  readonly headers?: Record<string, string | number>;
  readonly body?: Buffer | string;
};

export async function startS3(): Promise<S3Server> {
  const keys = { accessKeyId: "AKIDTEST", secretAccessKey: "a secret/with+signs", region: "eu-test-1" };
  const bucket = "shop.files";
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Upload>();
  const requests: string[] = [];
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? "", "http://s3");
    const key = decodeURIComponent(url.pathname).slice(`/${bucket}/`.length);
    requests.push(`${request.method} ${key}${url.search}`);
    const made = server.intercept(requests.at(-1) ?? "", requests.length);
    if (made === "drop") return void request.socket.destroy();
    const fault = made ?? faultOf(request, { url, body, keys });
    const asked = {
      method: request.method ?? "",
      key,
      query: url.searchParams,
      headers: request.headers,
      body,
    };
    if (fault !== null) return answer(response, refuse(fault), asked);
    if (!url.pathname.startsWith(`/${bucket}/`) || key === "")
      return answer(response, refuse({ status: 404, code: "NoSuchBucket" }), asked);
    answer(
      response,
      asked.query.has("uploads") || asked.query.has("uploadId") ? inParts(asked) : whole(asked),
      asked,
    );
  });

  function whole({ method, key, headers, body }: Asked): Reply {
    const found = objects.get(key);
    switch (method) {
      case "PUT":
        objects.set(key, body);
        return { status: 200, headers: { etag: etagOf(body) } };
      case "DELETE":
        objects.delete(key);
        return { status: 204 };
      case "GET":
      case "HEAD":
        if (found === undefined) return refuse({ status: 404, code: "NoSuchKey" });
        return ranged(found, headers.range);
      default:
        return refuse({ status: 405, code: "MethodNotAllowed" });
    }
  }

  function inParts({ method, key, query, body }: Asked): Reply {
    if (method === "POST" && query.has("uploads")) {
      // Ids may have any characters.
      const id = `${randomUUID()}+/=`;
      uploads.set(id, { key, parts: new Map() });
      return {
        status: 200,
        body: `<?xml version="1.0"?><InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    const id = query.get("uploadId") ?? "";
    const upload = uploads.get(id);
    if (upload?.key !== key) return refuse({ status: 404, code: "NoSuchUpload" });
    if (method === "DELETE") {
      uploads.delete(id);
      return { status: 204 };
    }
    if (method === "PUT") {
      const number = Number(query.get("partNumber"));
      if (!(number >= 1 && number <= 10_000)) return refuse({ status: 400, code: "InvalidArgument" });
      upload.parts.set(number, { body, etag: etagOf(body) });
      return { status: 200, headers: { etag: etagOf(body) } };
    }
    const listed = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    const numbers = listed.map(([, number]) => Number(number));
    const parts = listed.map(([, number, etag = ""]) => {
      const part = upload.parts.get(Number(number));
      return part?.etag === etag.replaceAll("&quot;", '"') ? part : undefined;
    });
    if (parts.length === 0 || parts.includes(undefined)) return refuse({ status: 400, code: "InvalidPart" });
    if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0)))
      return refuse({ status: 400, code: "InvalidPartOrder" });
    if (parts.slice(0, -1).some((part) => (part?.body.length ?? 0) < SMALLEST_PART))
      return refuse({ status: 400, code: "EntityTooSmall" });
    objects.set(key, Buffer.concat(parts.flatMap((part) => part?.body ?? [])));
    uploads.delete(id);
    return { status: 200, body: "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>" };
  }

  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const server: S3Server = {
    ...keys,
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    bucket,
    objects,
    uploads: () => [...uploads.keys()],
    requests,
    intercept: () => null,
    forgetUploads: () => uploads.clear(),
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return server;
}

function answer(
  response: ServerResponse,
  { status, headers = {}, body = "" }: Reply,
  { method }: Asked,
): void {
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
  response.end(method === "HEAD" ? undefined : body);
}

function refuse({ status, code }: Refusal): Reply {
  return {
    status,
    body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`,
  };
}

function etagOf(body: Buffer): string {
  return `"${createHash("md5").update(body).digest("hex")}"`;
}

function ranged(body: Buffer, range: string | undefined): Reply {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (first === undefined) return { status: 200, body };
  if (Number(first) >= body.length) return refuse({ status: 416, code: "InvalidRange" });
  return { status: 206, body: body.subarray(Number(first), Number(last) + 1) };
}

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** What is wrong with a request's signature (version 4, in the header), or null. */
function faultOf(
  request: IncomingMessage,
  { url, body, keys }: { url: URL; body: Buffer; keys: Keys },
): Refusal | null {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, day = "", region, signed = "", signature = ""] =
    pattern.exec(request.headers.authorization ?? "") ?? [];
  if (id === undefined) return { status: 403, code: "AccessDenied" };
  if (id !== keys.accessKeyId) return { status: 403, code: "InvalidAccessKeyId" };
  if (region !== keys.region) return { status: 400, code: "AuthorizationHeaderMalformed" };
  const time = String(request.headers["x-amz-date"]);
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!(Math.abs(Date.now() - at) < CLOCK_SKEW_MS) || !time.startsWith(day))
    return { status: 403, code: "RequestTimeTooSkewed" };
  const hash = String(request.headers["x-amz-content-sha256"]);
  if (hash !== sha256(body)) return { status: 400, code: "XAmzContentSHA256Mismatch" };
  const names = signed.split(";");
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => names.includes(name)))
    return { status: 403, code: "AccessDenied" };
  const canonical = [
    request.method,
    url.pathname
      .split("/")
      .map((part) => encode(decodeURIComponent(part)))
      .join("/"),
    [...url.searchParams]
      .map(([key, value]) => `${encode(key)}=${encode(value)}`)
      .toSorted()
      .join("&"),
    ...names.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? "")
          .trim()
          .replace(/ +/g, " ")}`,
    ),
    "",
    signed,
    hash,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const signingKey = [day, region, "s3", "aws4_request"].reduce<Buffer>(
    (key, part) => hmac(key, part),
    Buffer.from(`AWS4${keys.secretAccessKey}`),
  );
  const right = hmac(signingKey, toSign);
  return timingSafeEqual(right, Buffer.from(signature, "hex"))
    ? null
    : { status: 403, code: "SignatureDoesNotMatch" };
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
