import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Identity } from "../core/account/authenticate.ts";
import { type OnceAnswer, once } from "../core/account/idempotency.ts";
import type { Partner } from "../core/account/partners.ts";
import type { Core } from "../core/core.ts";
import { AppError, type ErrorCode, isInvalidRequest } from "../core/errors.ts";
import type { Scope } from "../core/scope.ts";
import { ownerOf } from "./app.ts";
import { errorBody, JSON_TYPE } from "./errors.ts";
import { faultyFields } from "./schema/fields.ts";

interface Request {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly identity: Identity | null;
  readonly partner: Partner | null;
  readonly bodyText: string;
  readonly routeOptions: {
    readonly url?: string | undefined;
    readonly config: { readonly secretAnswer?: true };
  };
}
interface Reply {
  readonly statusCode: number;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  /** Routes narrow the type to their own responses; a stored response is one of them, as text. */
  send(body: never): unknown;
  serialize(payload: unknown): string | ArrayBuffer | Buffer;
}

const KEY = /^[\x20-\x7e]{1,255}$/;
/** Refusals that end without a change of the request: the same one may succeed later. */
const TEMPORARY: ReadonlySet<string> = new Set<ErrorCode>([
  "MESSAGE_CHANNEL_UNAVAILABLE",
  "GROUP_OUTCOME_UNKNOWN",
  "CHANNEL_NO_MONEY",
  "CHANNEL_BLOCKED",
  "QUOTA_EXCEEDED",
  "EXPORT_QUEUE_FULL",
  "PHONE_CHECK_QUEUE_FULL",
  "WEBHOOK_REPLAY_QUEUE_FULL",
]);

/**
 * Runs a POST route's work once per `Idempotency-Key`, if it has one. The work receives the id that makes a
 * repetition harmless, or null without a key.
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
  const owner = ownerOf(request);
  const store =
    request.routeOptions.config.secretAnswer === true ? sealed(core, owner, route, key) : AS_IT_IS;
  const answer = await once(
    core,
    owner,
    { route, key, requestHash: hashOf(request) },
    async (operationId) => {
      const settled = await settle(request, async () => ({
        status: reply.statusCode,
        body: String(reply.serialize(await work(operationId))),
      }));
      return { ...settled, body: store.put(settled.body) };
    },
  );
  if (answer.replayed) reply.header("idempotency-replayed", "true");
  reply.code(answer.status);
  reply.header("content-type", JSON_TYPE);
  reply.send(store.take(answer.body) as never);
  // The response is being sent; for Fastify this is the same as returning the reply.
  return reply as never;
}

/** How a response is stored until the request is repeated. */
interface Store {
  put(body: string): string;
  take(stored: string): string;
}
const AS_IT_IS: Store = { put: (body) => body, take: (stored) => stored };

/** Responses with tokens or keys are encrypted with SECRET_KEY, bound to this request. */
function sealed({ seal }: Core, { accountId }: Scope, route: string, key: string): Store {
  const context = `answer ${accountId} ${route} ${key}`;
  return {
    put: (body) => seal.seal(body, context).toString("base64"),
    take: (stored) => seal.open(Buffer.from(stored, "base64"), context).toString(),
  };
}

/** A refusal is stored too, except for invalid requests and temporary refusals and failures. */
async function settle(request: Request, work: () => Promise<OnceAnswer>): Promise<OnceAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !isFinal(error)) throw error;
    return { status: error.status, body: JSON.stringify(errorBody(error, request)) };
  }
}

function isFinal(error: AppError): boolean {
  const { code, status } = error;
  return status < 500 && status !== 429 && !TEMPORARY.has(code) && !isInvalidRequest(error);
}

function hashOf({ url, bodyText }: Request): Uint8Array {
  return hash("sha256", `${url}\n${bodyText}`, "buffer");
}
