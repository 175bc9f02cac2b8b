import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Identity } from "../core/account/authenticate.ts";
import { type OnceAnswer, once } from "../core/account/idempotency.ts";
import type { Core } from "../core/core.ts";
import { AppError } from "../core/errors.ts";
import { scopeOf } from "./app.ts";
import { errorBody, JSON_TYPE } from "./errors.ts";
import { faultyFields } from "./fields.ts";

interface Request {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly identity: Identity | null;
  readonly bodyText: string;
  readonly routeOptions: { readonly url?: string | undefined };
}
interface Reply {
  readonly statusCode: number;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  /** Routes narrow what may be sent to their own answers; a stored answer is one of them, as text. */
  send(body: never): unknown;
  serialize(payload: unknown): string | ArrayBuffer | Buffer;
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * Runs a POST route's work, once for its `Idempotency-Key` when it has one. The work gets the id under which
 * repeating it is harmless, or null when nobody asked for that.
 */
export async function answerOnce<T>(
  core: Core,
  request: Request,
  reply: Reply,
  work: (operationId: string | null) => Promise<T>,
): Promise<T> {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return work(null);
  if (typeof key !== "string" || !KEY.test(key)) {
    throw faultyFields([{ field: "Idempotency-Key", message: "must have 1 to 255 printable characters" }]);
  }
  const route = `${request.method} ${request.routeOptions.url}`;
  const answer = await once(
    core,
    scopeOf(request),
    { route, key, requestHash: hashOf(request) },
    (operationId) =>
      settle(request, async () => ({
        status: reply.statusCode,
        body: String(reply.serialize(await work(operationId))),
      })),
  );
  if (answer.replayed) reply.header("idempotency-replayed", "true");
  reply.code(answer.status);
  reply.header("content-type", JSON_TYPE);
  reply.send(answer.body as never);
  // The answer is on its way; Fastify takes a returned reply for that.
  return reply as never;
}

/** A refusal is an answer to keep as well. Faulty requests and what may pass later are not. */
async function settle(request: Request, work: () => Promise<OnceAnswer>): Promise<OnceAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !isFinal(error)) throw error;
    return { status: error.status, body: JSON.stringify(errorBody(error, request)) };
  }
}

function isFinal({ code, status }: AppError): boolean {
  return status < 500 && status !== 429 && code !== "VALIDATION_ERROR";
}

function hashOf({ url, bodyText }: Request): Uint8Array {
  return hash("sha256", `${url}\n${bodyText}`, "buffer");
}
