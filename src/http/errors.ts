import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../core/errors.ts";
import { LogThrottle } from "../core/log-throttle.ts";
import { isTemporary } from "../database/database.ts";
import { FilesUnavailable } from "../platform/file/files.ts";
import type { Log } from "../platform/log.ts";
import type { FieldFault } from "./schema/fields.ts";

/** The fields of every error response; `status` and `requestId` on message routes only. */
export interface ErrorBody {
  readonly error: string;
  readonly description: string;
  readonly data?: unknown;
  readonly status?: number;
  readonly requestId?: string;
}

export const JSON_TYPE = "application/json; charset=utf-8";

const RETRY_AFTER_SECONDS = 5;
/** During an outage every request fails for the same reason, and a client may repeat a failing request. */
const REPEATS_AFTER_MS = 10_000;
const V3_ROUTE = /^\/+v3(?![^/?])/;
const MESSAGE_ROUTE = /^\/+(v2\/+messages|v3\/+message)(?![^/?])/;

/** Fastify's own errors as codes of the interface. */
const FRAMEWORK_CODES: Readonly<
  Record<string, "BODY_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "INVALID_JSON" | "NOT_FOUND">
> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "BODY_TOO_LARGE",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "UNSUPPORTED_MEDIA_TYPE",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "INVALID_JSON",
  FST_ERR_BAD_URL: "NOT_FOUND",
  FST_ERR_MAX_PARAM_LENGTH: "NOT_FOUND",
};

/** Converts any failure to a catalogued error. Unknown failures become `INTERNAL_ERROR`, without details. */
function asAppError(error: unknown, maxBytes: number): AppError {
  if (error instanceof AppError) return error;
  if (isTemporary(error) || error instanceof FilesUnavailable)
    return new AppError("UNAVAILABLE", { retryAfter: RETRY_AFTER_SECONDS, cause: error });
  const code = FRAMEWORK_CODES[(error as { code?: string } | null)?.code ?? ""];
  const data = code === "BODY_TOO_LARGE" ? { data: { maxBytes } } : {};
  return new AppError(code ?? "INTERNAL_ERROR", { ...data, cause: error });
}

export function errorBody(
  error: AppError,
  request: { readonly url: string; readonly id: string },
): ErrorBody {
  const isV3 = V3_ROUTE.test(request.url);
  const body = isV3 && MESSAGE_ROUTE.test(request.url) ? asMessageError(error) : error;
  return {
    error: body.code,
    description: body.message,
    ...(error.data === undefined ? {} : { data: isV3 ? inV3Shape(error.data) : error.data }),
    ...(MESSAGE_ROUTE.test(request.url) ? { status: error.status, requestId: request.id } : {}),
  };
}

/** Invalid fields of a message have a separate code on v3. */
function asMessageError(error: AppError): Pick<AppError, "code" | "message"> {
  if (error.code !== "VALIDATION_ERROR") return error;
  return new AppError("INVALID_MESSAGE_DATA");
}

/** Clients of v3 join `fields`, so these are names there; `details` contains the errors. */
function inV3Shape(data: unknown): unknown {
  const { fields, ...rest } = data as { readonly fields?: readonly FieldFault[] };
  if (!Array.isArray(fields)) return data;
  return { fields: fields.map(({ field }: FieldFault) => field), details: fields, ...rest };
}

/** Responds to a failed request; internal failures are logged with the request's id. */
export function createErrorHandler(log: Log) {
  const throttle = new LogThrottle({ maxEntries: 100, ttlMs: REPEATS_AFTER_MS });
  return (failure: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    // If the client aborted the body, it does not read the response, and this is no internal failure.
    const brokeOff = failure !== null && failure === request.raw.errored;
    const { bodyLimit } = request.routeOptions;
    const error = brokeOff
      ? new AppError("INVALID_JSON", { cause: failure })
      : asAppError(failure, bodyLimit);
    if (error.status >= 500) logFailure({ log, throttle }, error, request);
    if (error.retryAfter !== undefined) reply.header("retry-after", String(error.retryAfter));
    reply
      .code(error.status)
      .type(JSON_TYPE)
      .send(JSON.stringify(errorBody(error, request)));
  };
}

function logFailure(
  { log, throttle }: { readonly log: Log; readonly throttle: LogThrottle },
  error: AppError,
  request: FastifyRequest,
): void {
  const details = {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url,
    err: error.cause ?? error,
  };
  if (error.code === "INTERNAL_ERROR") {
    const isNew = throttle.shouldLog(failureKeyOf(details.err, request));
    log[isNew ? "error" : "debug"](details, "request failed");
  } else {
    const isNew = throttle.shouldLog(String(details.err));
    log[isNew ? "warn" : "debug"](details, "request refused: a dependency is unavailable");
  }
}

/** Where it failed, without anything from the request: otherwise each request would be a new log entry. */
function failureKeyOf(failure: unknown, { method, routeOptions }: FastifyRequest): string {
  if (!(failure instanceof Error)) return `${method} ${routeOptions.url}`;
  const code = "code" in failure ? String(failure.code) : "";
  const frame = /^ +at .*/m.exec(failure.stack ?? "")?.[0] ?? "";
  return [method, routeOptions.url, failure.name, code, frame].join(" ");
}
