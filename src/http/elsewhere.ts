import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Dispatcher } from "undici";
import { AccountElsewhere, AppError } from "../core/errors.ts";
import type { HasMoves } from "../core/move/moves.ts";
import { movedAccountOf } from "../database/database.ts";

/** Counts the cells that have passed a request on: two that disagree about an account must not send it to and fro. */
const HOPS = "x-trunkline-hops";
const MAX_HOPS = 3;
/** What a cell of this program writes. Anything else was written by a client. */
const COUNT = /^(?:0|[1-9]\d{0,2})$/;

/** Headers of one connection (RFC 9110, 7.6.1), and what the other side's connection sets by itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "host",
]);

/** A request for an account of another cell, and its body: null while nobody has read it. */
interface Passing {
  readonly address: string;
  readonly body: Uint8Array | string | null;
}

/**
 * Passes a failed request on to another cell if it failed because its account is there, or is just moving there. It had no
 * effect then. Null: it failed for another reason.
 */
export async function passOnIfElsewhere(
  core: HasMoves,
  failure: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | null> {
  if (failure instanceof AccountElsewhere)
    return passOn(core, request, reply, { address: failure.address, body: bodyOf(request) });
  const accountId = movedAccountOf(failure);
  if (accountId === null) return null;
  const address = isOf(request, accountId) ? await core.moves.whereIsNow(accountId) : null;
  // The move was revoked, or the request shared a statement with one of the moving account.
  if (address === null) throw new AppError("UNAVAILABLE", { retryAfter: 1, cause: failure });
  return passOn(core, request, reply, { address, body: bodyOf(request) });
}

function isOf({ identity, pageSession }: FastifyRequest, accountId: number): boolean {
  const own = identity?.accountId ?? pageSession?.scope.accountId ?? accountId;
  return own === accountId;
}

/** Null: it is not read yet. Throws UNAVAILABLE if it was read as a stream. */
function bodyOf(request: FastifyRequest): Passing["body"] {
  const { raw, body, bodyText } = request;
  if (raw.method === "GET" || raw.method === "HEAD" || hasNoBody(raw.headers)) return "";
  if (body instanceof Uint8Array) return body;
  if (bodyText !== undefined && bodyText !== "") return bodyText;
  if (!raw.readableDidRead) return null;
  throw new AppError("UNAVAILABLE", { retryAfter: 1 });
}

function hasNoBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
}

async function passOn(
  core: HasMoves,
  request: FastifyRequest,
  reply: FastifyReply,
  passing: Passing,
): Promise<FastifyReply> {
  const { statusCode, headers, body } = await ask(core, request, passing);
  for (const name of Object.keys(reply.getHeaders())) if (name !== "x-request-id") reply.removeHeader(name);
  for (const [name, value] of Object.entries(headers))
    if (!OF_CONNECTION.has(name) && value !== undefined) reply.header(name, value);
  return reply.code(statusCode).send(body);
}

/** Throws UNAVAILABLE if the other cell does not answer. */
async function ask(
  { moves }: HasMoves,
  request: Pick<FastifyRequest, "raw" | "ip">,
  { address, body }: Passing,
): Promise<Dispatcher.ResponseData> {
  const { raw } = request;
  const before = raw.headers[HOPS] ?? "0";
  const hops = Number(before) + 1;
  if (!COUNT.test(String(before)) || hops > MAX_HOPS)
    throw new AppError("UNAVAILABLE", {
      retryAfter: 5,
      cause: new Error("The cells disagree about where the account is"),
    });
  const sent = body === "" ? null : (body ?? raw);
  try {
    return await moves.cells.request({
      origin: new URL(address).origin,
      path: `${new URL(address).pathname.replace(/\/$/, "")}${raw.url}`,
      method: raw.method as Dispatcher.HttpMethod,
      headers: { ...headersOf(raw.headers), [HOPS]: String(hops), "x-forwarded-for": forwardedFor(request) },
      body: sent,
    });
  } catch (cause) {
    throw new AppError("UNAVAILABLE", { retryAfter: 1, cause });
  }
}

/** Without a length: that of a body that was read is known anew. */
function headersOf(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      OF_CONNECTION.has(name) || name === "content-length" || value === undefined ? [] : [[name, value]],
    ),
  );
}

function forwardedFor({ raw, ip }: Pick<FastifyRequest, "raw" | "ip">): string {
  const before = raw.headers["x-forwarded-for"];
  return before === undefined ? ip : `${String(before)}, ${raw.socket.remoteAddress ?? ip}`;
}

/**
 * Sends a copy of a messenger's call for many channels to another cell. Throws UNAVAILABLE unless that has taken it: the
 * messenger then repeats the call, which has no effect where it was taken before. A cell with another app refuses the
 * call's signature.
 */
export async function sendCopy(core: HasMoves, request: FastifyRequest, address: string): Promise<void> {
  const body = request.body instanceof Uint8Array ? request.body : "";
  const answer = await ask(core, request, { address, body });
  await answer.body.dump();
  const { statusCode } = answer;
  if (statusCode >= 200 && statusCode < 300) return;
  throw new AppError("UNAVAILABLE", {
    retryAfter: 1,
    cause: new Error(
      `The cell at ${address} refused a copy of a messenger's call with ${statusCode}; it needs the same app of the messenger`,
    ),
  });
}
