/** Further details of an error: https://core.telegram.org/bots/api#responseparameters */
export interface ErrorParameters {
  readonly retry_after?: number;
  readonly migrate_to_chat_id?: number;
}

/** A response `{ok: false}` of the Bot API. `description` is complete, with its prefix. */
export class ApiError extends Error {
  readonly code: number;
  readonly parameters: ErrorParameters | undefined;

  constructor(code: number, description: string, parameters?: ErrorParameters) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

/** 400 with the prefix that the official server puts before the reason. */
export function badRequest(reason: string, parameters?: ErrorParameters): ApiError {
  return new ApiError(400, `Bad Request: ${reason}`, parameters);
}

/** 403: the bot may not do this here. */
export function forbidden(reason: string): ApiError {
  return new ApiError(403, `Forbidden: ${reason}`);
}

/** 409: another use of the bot excludes this call. */
export function conflict(reason: string): ApiError {
  return new ApiError(409, `Conflict: ${reason}`);
}

/** 429: retry after this many seconds. */
export function tooManyRequests(retryAfter: number): ApiError {
  return new ApiError(429, `Too Many Requests: retry after ${retryAfter}`, { retry_after: retryAfter });
}
