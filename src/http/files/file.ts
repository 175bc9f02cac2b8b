import type { FastifyReply, FastifyRequest } from "fastify";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import { openExportFile } from "../../core/export/link.ts";
import { openPublicFile, type PublicFile } from "../../core/file/files.ts";
import type { App } from "../app.ts";
import { type PlaceLimits, Places, takePlace } from "../limit/places.ts";
import type { HttpMetrics } from "../metrics.ts";
import { isFresh } from "../prebuilt.ts";
import { contentDisposition, safeMimeType } from "./file-headers.ts";
import { parseRange } from "./range.ts";

const KEY = /^[\w-]{16,128}$/;

const SAFE_HEADERS = {
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "cross-origin",
  "accept-ranges": "bytes",
};

const STALL_MS = 120_000;
/** Requests for files that are still being downloaded, by file and by client. */
const WAITING_LIMITS: PlaceLimits = { ofOwner: 16, ofGroup: 500, ofNode: 2_000 };

const FOR_EVER = "private, max-age=31536000, immutable";

/**
 * `GET /files/{key}/{name}`: a received file. The key is the permission; the name is only for people. A client that
 * takes no byte for `stallMs` is disconnected, so that it does not hold the file open.
 */
export function fileRoutes(app: App, core: Core, metrics: HttpMetrics, stallMs = STALL_MS): void {
  const places = new Places({ kind: "file", limits: WAITING_LIMITS, metrics });
  for (const url of ["/files/:key", "/files/:key/:name"]) {
    app.route<{ Params: { key: string; name?: string } }>({
      // Both at once: a separate HEAD route would measure the response instead of the file.
      method: ["GET", "HEAD"],
      url,
      schema: { hide: true } as object,
      async handler(request, reply) {
        const { key } = request.params;
        if (!KEY.test(key)) throw new AppError("NOT_FOUND");
        const gone = new AbortController();
        reply.raw.once("close", () => gone.abort());
        const free = takePlace(reply, places, { owner: key, group: request.ip, end: () => gone.abort() });
        const file = await openPublicFile(core, key, gone.signal)
          .catch((error: unknown) => refuseUnknown(core, error, "file", key))
          .finally(free);
        return serveFile(request, reply, { file, etag: `"${key}"`, cacheControl: FOR_EVER, stallMs });
      },
    });
  }
  exportFileRoute(app, core, stallMs);
}

interface ExportFileRequest {
  readonly Params: { id: string; name: string };
  readonly Querystring: { expires?: unknown; signature?: unknown };
}

/** `GET /files/exports/{id}/{name}?expires=…&signature=…`: a finished export. The signature is the permission. */
function exportFileRoute(app: App, core: Core, stallMs: number): void {
  app.route<ExportFileRequest>({
    method: ["GET", "HEAD"],
    url: "/files/exports/:id/:name",
    schema: { hide: true } as object,
    async handler(request, reply) {
      const { id, name } = request.params;
      const { expires, signature } = request.query;
      const file = await openExportFile(core, {
        id,
        name,
        expires: String(expires),
        signature: String(signature),
      }).catch((error: unknown) => refuseUnknown(core, error, "export", id));
      return serveFile(request, reply, { file, etag: `"${id}"`, cacheControl: "private, no-cache", stallMs });
    },
  });
}

/** Throws `AccountElsewhere` if the file left with its account, otherwise the error. */
async function refuseUnknown(
  { moves }: Core,
  error: unknown,
  kind: "file" | "export",
  key: string,
): Promise<never> {
  if (error instanceof AppError && error.code === "NOT_FOUND") await moves.refuseMoved(kind, key);
  throw error;
}

interface Serving {
  readonly file: PublicFile;
  readonly etag: string;
  readonly cacheControl: string;
  readonly stallMs: number;
}

async function serveFile(
  request: Pick<FastifyRequest, "headers" | "method">,
  reply: FastifyReply,
  { file, etag, cacheControl, stallMs }: Serving,
): Promise<FastifyReply> {
  const mimeType = safeMimeType(file.mimeType);
  reply.headers({ ...SAFE_HEADERS, "cache-control": cacheControl, etag });
  if (isFresh(request.headers["if-none-match"], etag)) return reply.code(304).send();

  reply.headers({ "content-type": mimeType, "content-disposition": contentDisposition(mimeType, file.name) });
  const { range: rangeHeader, "if-range": ifRange } = request.headers;
  const range = ifRange === undefined || ifRange === etag ? parseRange(rangeHeader, file.size) : null;
  if (range === "unsatisfiable") return refuseRange(reply, file.size);
  if (range !== null)
    reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${file.size}`);
  reply.header("content-length", range === null ? file.size : range.end - range.start + 1);
  if (request.method === "HEAD") return reply.send();
  reply.raw.setTimeout(stallMs);
  return reply.send(range === null ? file.open() : file.open(range));
}

function refuseRange(reply: FastifyReply, size: number): FastifyReply {
  return reply
    .code(416)
    .headers({ "content-range": `bytes */${size}`, "content-type": "text/plain; charset=utf-8" })
    .send("The file does not have these bytes");
}
