import type { IncomingMessage } from "node:http";
import type { BlobStore } from "../blob-store.ts";
import { BodyTooLarge, type Exchange, readBody } from "../http/exchange.ts";
import { isRecord } from "../http/fields.ts";
import { readMultipart, type Upload } from "../http/multipart.ts";
import { badParam, GraphError } from "./graph-error.ts";
import { Param } from "./param.ts";

/** 100 MB for a document, plus room for the other parts. */
const maxFileBytes = 100 * 1024 * 1024;
const maxTextBodyBytes = 8 * 1024 * 1024;

/** The parameters of a call in any form: query, JSON, form, multipart. */
export interface Arguments {
  readonly param: Param;
  readonly files: ReadonlyMap<string, Upload>;
}

/** Parses the parameters of a call. Form values that contain JSON text are parsed as JSON. */
export async function readArguments(exchange: Exchange, blobs: BlobStore): Promise<Arguments> {
  const query = parseForm(exchange.query);
  delete query["access_token"];
  delete query["appsecret_proof"];
  const { request } = exchange;
  if (exchange.method === "GET") return { param: new Param(query), files: new Map() };
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) return readForm(request, query, blobs);
  const text = await readText(request);
  if (text === "") return { param: new Param(query), files: new Map() };
  const values = type.startsWith("application/x-www-form-urlencoded") ? parseForm(text) : parseJson(text);
  return { param: new Param({ ...query, ...values }), files: new Map() };
}

async function readText(request: IncomingMessage): Promise<string> {
  try {
    return (await readBody(request, maxTextBodyBytes)).toString();
  } catch (error) {
    throw error instanceof BodyTooLarge ? tooLarge() : error;
  }
}

function parseForm(text: string): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) values[name] = fromForm(value);
  return values;
}

function fromForm(value: string): unknown {
  if (!/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function parseJson(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badParam("The request body is not valid JSON.");
  }
  if (isRecord(value)) return value;
  throw badParam("The request body must be a JSON object.");
}

function tooLarge(): GraphError {
  const parts = { status: 413, type: "OAuthException", code: 1 } as const;
  return new GraphError("The request entity is too large.", parts);
}

async function readForm(
  request: IncomingMessage,
  query: Readonly<Record<string, unknown>>,
  blobs: BlobStore,
): Promise<Arguments> {
  const { fields, files } = await readMultipart(request, blobs, {
    maxFileBytes: maxFileBytes + 1,
    maxFieldBytes: maxTextBodyBytes,
    tooLarge,
    unreadable: () => badParam("The multipart body cannot be read."),
  });
  const values = Object.entries(fields).map(([name, value]) => [name, fromForm(value)]);
  return { param: new Param({ ...query, ...Object.fromEntries(values) }), files };
}
