import type { IncomingMessage } from "node:http";
import type { BlobStore } from "../../blob-store.ts";
import { BodyTooLarge, type Exchange, readBody } from "../../http/exchange.ts";
import { isRecord } from "../../http/fields.ts";
import { readMultipart } from "../../http/multipart.ts";
import { ApiError, badRequest } from "./api-error.ts";
import { Arguments } from "./arguments.ts";

/** https://core.telegram.org/bots/api#sending-files: 50 MB, plus room for the other parts. */
const maxUploadBytes = 50 * 1024 * 1024;
const maxRequestBytes = maxUploadBytes + 1024 * 1024;
const maxTextBodyBytes = 8 * 1024 * 1024;

/**
 * Parses the parameters of a call from its query and its body, in any of the four formats. Like the official server,
 * also reads the body of a GET.
 */
export async function readArguments(exchange: Exchange, blobs: BlobStore): Promise<Arguments> {
  const { request } = exchange;
  const fromQuery = exchange.query === "" ? undefined : parseForm(exchange.query);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) return readForm(request, fromQuery ?? {}, blobs);
  const body = await readText(request);
  if (body === "") return new Arguments(fromQuery ?? {});
  const values = type.startsWith("application/json") ? parseJson(body) : parseForm(body);
  return new Arguments(fromQuery ? { ...fromQuery, ...values } : values);
}

async function readText(request: IncomingMessage): Promise<string> {
  try {
    return (await readBody(request, maxTextBodyBytes)).toString();
  } catch (error) {
    throw error instanceof BodyTooLarge ? tooLarge() : error;
  }
}

function parseForm(text: string): Record<string, unknown> {
  return Object.fromEntries(new URLSearchParams(text));
}

function parseJson(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("can't parse JSON object");
  }
  if (value === null) return {};
  if (!isRecord(value)) throw badRequest("can't parse JSON object: expected an Object");
  return value;
}

/** The official server's text for a body over the limit. */
function tooLarge(): ApiError {
  return new ApiError(413, "Request Entity Too Large");
}

async function readForm(
  request: IncomingMessage,
  values: Record<string, unknown>,
  blobs: BlobStore,
): Promise<Arguments> {
  if (Number(request.headers["content-length"] ?? 0) > maxRequestBytes) {
    await drain(request);
    throw tooLarge();
  }
  const { fields, files } = await readMultipart(request, blobs, {
    maxFileBytes: maxUploadBytes,
    maxFieldBytes: maxTextBodyBytes,
    tooLarge,
    unreadable: () => badRequest("can't parse multipart/form-data"),
  });
  return new Arguments({ ...values, ...fields }, files);
}

/**
 * Reads the rest of the request: a client that is still writing would get a broken connection instead of the
 * response.
 */
function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    request.on("close", resolve);
    request.on("end", resolve);
    request.resume();
  });
}
