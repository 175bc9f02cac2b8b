import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import {
  type AppReply,
  type ReceivedReply,
  receiveAppCallback,
  receiveCallback,
} from "../../core/inbound/callback/callback.ts";
import type { InboundRequest } from "../../core/transport/connector.ts";
import { movedAccountOf } from "../../database/database.ts";
import type { App } from "../app.ts";
import { sendCopy } from "../elsewhere.ts";
import { callerOf } from "./caller.ts";

/**
 * Meta's calls are the largest, up to 3 MB. Anyone can send one, and it is kept in memory until the connector has
 * verified it.
 */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const EMPTY = new Uint8Array();
/** How long a call waits for an account that is moving. */
const MOVE_MS = 20_000;
const AGAIN_MS = 50;

/**
 * `/in/{transport}/{channelId}` and everything below, and `/in/{transport}` for messengers that call one address for
 * all channels. Any method, with the raw body; the transport's connector verifies the caller.
 */
export function callbackRoutes(app: App, core: Core): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  const options = { bodyLimit: MAX_BODY_BYTES, schema: { hide: true } as object };
  boundRefusedCallers(app, core);
  for (const url of ["/in/:transport/:channelId", "/in/:transport/:channelId/*"]) {
    app.all<{ Params: { transport: string; channelId: string; "*"?: string } }>(
      url,
      options,
      async (request, reply) => {
        const { transport, channelId, "*": rest = "" } = request.params;
        const call = callOf(request, rest === "" ? "" : `/${rest}`);
        return send(request, reply, await receiveHere(core, transport, channelId, call));
      },
    );
  }
  app.all<{ Params: { transport: string } }>("/in/:transport", options, async (request, reply) => {
    const answer = await receiveForAll(core, request.params.transport, callOf(request, ""));
    if (answer.status < 300 && request.method === "POST")
      for (const cell of answer.elsewhere.union(await core.moves.cellsOf(request.params.transport)))
        await sendCopy(core, request, cell);
    return send(request, reply, answer);
  });
}

/** Throws `AccountElsewhere` if the channel has left with its account. */
async function receiveHere(
  core: Core,
  transport: string,
  channelId: string,
  call: InboundRequest,
): Promise<ReceivedReply> {
  try {
    return await receiveCallback(core, transport, channelId, call);
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND")
      await core.moves.refuseMoved("channel", channelId.toLowerCase());
    throw error;
  }
}

/**
 * While one of the accounts is just moving, the call waits and is read again: what was stored of it before is not stored
 * twice, and what has left is in the copy for the other cell.
 */
async function receiveForAll(core: Core, transport: string, call: InboundRequest): Promise<AppReply> {
  const deadline = performance.now() + MOVE_MS;
  for (;;)
    try {
      return await receiveAppCallback(core, transport, call);
    } catch (error) {
      const accountId = movedAccountOf(error);
      if (accountId === null) throw error;
      await core.moves.whereIsNow(accountId);
      if (performance.now() > deadline) throw new AppError("UNAVAILABLE", { retryAfter: 1, cause: error });
      await sleep(AGAIN_MS);
    }
}

/** Never limited by caller; nearly all calls are this small. */
const SMALL_BYTES = 64 * 1024;

/**
 * A caller with rejected calls has a budget for large bodies, each of which costs some milliseconds to verify. Small
 * ones always pass: a stranger may cause the messenger's own servers to send calls that are rejected. A call that is
 * rejected because its channel has no budget left is not charged to the caller, which may be the messenger.
 */
function boundRefusedCallers(app: App, { callbackBudgets }: Core): void {
  app.decorateRequest("blockedMs", 0);
  app.addHook("onRequest", (request, _reply, done) => {
    const retryAfter = isSmall(request) ? 0 : callbackBudgets.waitSeconds(callerOf(request));
    done(retryAfter > 0 ? new AppError("TOO_MANY_REQUESTS", { retryAfter }) : undefined);
  });
  app.addHook("onResponse", (request, { statusCode }, done) => {
    const bytes = request.body instanceof Uint8Array ? request.body.length : 0;
    const isRefused = statusCode >= 400 && statusCode < 500 && statusCode !== 429;
    if (isRefused && bytes > 0) callbackBudgets.spend(callerOf(request), { bytes, ms: request.blockedMs });
    done();
  });
}

function isSmall({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) <= SMALL_BYTES;
}

function callOf(request: FastifyRequest, path: string): InboundRequest {
  return {
    method: request.method,
    path,
    query: queryOf(request.url),
    headers: request.headers,
    body: request.body instanceof Uint8Array ? request.body : EMPTY,
  };
}

function send(request: FastifyRequest, reply: FastifyReply, answer: ReceivedReply): FastifyReply {
  if (answer.status >= 400) request.blockedMs = answer.ms;
  const { status, body = "", contentType = "text/plain; charset=utf-8", headers = {} } = answer;
  return reply.code(status).headers(headers).type(contentType).send(body);
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start));
}
