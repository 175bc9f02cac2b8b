import type { Readable } from "node:stream";
import { AccountConcurrencyLimit } from "../../../core/concurrency-limit.ts";
import { MAX_FILE_BYTES } from "../../../core/content.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { storeUpload } from "../../../core/file/uploads.ts";
import type { App } from "../../app.ts";
import { inboxOf } from "./session.ts";

const HIDDEN = { hide: true } as object;

/**
 * `POST /app/api/files?name=…`: the raw bytes of a file, of the type in `Content-Type`; streamed, not buffered. A file
 * that is declared too large is refused before it is read: storing it would stop reading at the limit, and the
 * browser would wait on a connection that nobody reads.
 */
export function uploadRoute(app: App, core: Core): void {
  const uploads = new AccountConcurrencyLimit({
    maxConcurrent: 16,
    maxWaiting: 64,
    refusal: "Too many files of the account are being uploaded; repeat the request later",
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  app.post<{ Querystring: { name?: unknown }; Body: Readable | undefined }>(
    "/app/api/files",
    { schema: HIDDEN, bodyLimit: MAX_FILE_BYTES + 1, config: { isStreamed: true } },
    async (request, reply) => {
      const { scope } = inboxOf(request);
      const declared = Number(request.headers["content-length"] ?? Number.NaN);
      if (declared > MAX_FILE_BYTES)
        throw new AppError("BODY_TOO_LARGE", { data: { maxBytes: MAX_FILE_BYTES } });
      const { name } = request.query;
      if (request.body === undefined) throw new AppError("MESSAGE_NOTHING_TO_SEND");
      const upload = {
        name: typeof name === "string" ? name.slice(0, 255) : "",
        mimeType: request.headers["content-type"] ?? "",
        ...(Number.isSafeInteger(declared) ? { size: declared } : {}),
        content: request.body,
      };
      const file = await uploads.run(scope.accountId, () => storeUpload(core, scope, upload));
      const { id, url, mimeType, size, kind } = file;
      return reply.code(201).send({ file_id: id, url, name: file.name, mime_type: mimeType, size, kind });
    },
  );
}
