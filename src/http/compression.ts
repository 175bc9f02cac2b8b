import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "./app.ts";

/** Below about one network packet, compression saves nothing. */
const MIN_BYTES = 1_400;
/** Half the time of the usual level, and lists of messages and chats become a few percent larger. */
const LEVEL = 3;

/**
 * Whether a client takes gzip (RFC 9110, 12.5.3): by name or by `*`, and not with a weight of 0. Pure.
 */
export function takesGzip(header: string | string[] | undefined): boolean {
  const codings = new Map(
    String(header ?? "")
      .toLowerCase()
      .split(",")
      .map((each) => {
        const [coding = "", ...parameters] = each.split(";").map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
        return [coding, weight === undefined || Number(weight) > 0] as const;
      }),
  );
  return codings.get("gzip") ?? codings.get("x-gzip") ?? codings.get("*") ?? false;
}

/**
 * Compresses the JSON responses to GET requests, for clients that take it. Responses that contain secrets stay as they
 * are: their compressed length would depend on the secret and on what a client of the account wrote (BREACH). Those are
 * responses to other methods, and those of routes with `secretAnswer`. Streams and files are not JSON text, and pass.
 */
export function compressAnswers(app: App): void {
  // With a callback: most responses pass without waiting for a turn of the event loop.
  app.addHook("onSend", (request, reply, payload, done) => {
    if (typeof payload !== "string" || !isCompressible(request, reply)) return done(null, payload);
    reply.header("vary", "accept-encoding");
    if (payload.length < MIN_BYTES || !takesGzip(request.headers["accept-encoding"]))
      return done(null, payload);
    gzip(payload, { level: LEVEL }, (error, packed) => {
      if (error === null) reply.header("content-encoding", "gzip").removeHeader("content-length");
      done(null, error === null ? packed : payload);
    });
  });
}

function isCompressible({ method, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  return (
    method === "GET" &&
    routeOptions.config.secretAnswer !== true &&
    reply.getHeader("content-encoding") === undefined &&
    /^application\/json\b/.test(String(reply.getHeader("content-type")))
  );
}
