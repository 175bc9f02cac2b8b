import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../core/errors.ts";
import type { App } from "../app.ts";
import { excessOf, limitBodies } from "../limit/body-limits.ts";
import { bodyLimitOf } from "../limit/limits.ts";
import { nulError } from "./nul.ts";
import { idsToText, type ObjectShape, stripEmpty, stripNulls } from "./nulls.ts";

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Parses JSON bodies, with or without a content type. An empty body is an empty object, so that missing fields are
 * reported one by one. Bodies of DELETE are ignored. Each route has its limits (`BODY_LIMITS`). `types`: further
 * content types parsed as JSON.
 */
export function readJsonBodies(app: App, types: readonly string[] = []): void {
  const parse = app.getDefaultJsonParser("remove", "ignore");

  function parseJson(request: FastifyRequest, bytes: Buffer, done: Done): void {
    if (!isUtf8(bytes)) {
      done(refusalOf(request, new Error("The body is not valid UTF-8")));
      return;
    }
    const text = bytes.toString();
    if (text.trim() === "") {
      done(null, undefined);
      return;
    }
    const excess = excessOf(text, bodyLimitOf(request.routeOptions.config));
    if (excess !== null) {
      done(excess);
      return;
    }
    request.bodyText = text;
    parse(request, text, (error, body) => {
      if (error) return done(refusalOf(request, error));
      const shape = (request.routeOptions.schema?.body ?? {}) as ObjectShape;
      const nuls = text.includes("\\u0000") ? nulError(body) : null;
      if (nuls !== null) return done(nuls);
      if (text.includes("null")) stripNulls(shape, body);
      stripEmpty(request.routeOptions.config.emptyIsAbsent ?? [], body);
      done(null, body);
    });
  }

  app.removeAllContentTypeParsers();
  app.decorateRequest("bodyText", "");
  app.addContentTypeParser(["application/json", ...types], { parseAs: "buffer" }, (request, bytes, done) =>
    app.readInTurn(bytes.length, () => parseJson(request, bytes as Buffer, done)),
  );
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, bytes, done) => {
    if (!request.headers["content-type"] || bytes.length === 0)
      return app.readInTurn(bytes.length, () => parseJson(request, bytes as Buffer, done));
    done(new AppError("UNSUPPORTED_MEDIA_TYPE"));
  });
  app.addHook("onRequest", (request, _reply, done) => {
    if (request.method === "DELETE" && request.routeOptions.config.readsBody !== true) hideBody(request);
    done();
  });
  app.addHook("preValidation", (request, _reply, done) => {
    request.body ??= {};
    done();
  });
  app.addHook("preHandler", (request, _reply, done) => {
    request.body = idsToText((request.routeOptions.schema?.body ?? {}) as ObjectShape, request.body);
    done();
  });
  limitBodies(app);
}

/** Some clients put the charset there (`utf-8`), so it is checked only if the body cannot be parsed. */
function refusalOf({ headers }: FastifyRequest, cause: Error): AppError {
  if ((headers["content-encoding"] ?? "identity") === "identity")
    return new AppError("INVALID_JSON", { cause });
  const description = "Send the body as it is, without a Content-Encoding";
  return new AppError("UNSUPPORTED_MEDIA_TYPE", { description, cause });
}

/** Without these headers nothing is parsed; Node discards the bytes. */
function hideBody({ raw: { headers } }: FastifyRequest): void {
  delete headers["content-type"];
  delete headers["content-length"];
  delete headers["transfer-encoding"];
}
