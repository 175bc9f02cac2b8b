import { Refusal } from "../../http/api-server.ts";

/** An error of the API: `{code, message}` with the HTTP status (https://dev.max.ru/docs-api). */
export function apiError(status: number, code: string, message: string): Refusal {
  return new Refusal(`${code}: ${message}`, { status, json: JSON.stringify({ code, message }) });
}

/** The token is missing, wrong or revoked. */
export function badToken(): Refusal {
  return apiError(401, "verify.token", "Invalid access_token");
}

/** A body or parameter that the platform rejects. */
export function badPayload(message: string): Refusal {
  return apiError(400, "proto.payload", message);
}

/** An unknown parameter or field: refused, and marked in the record of calls. */
export function unknownField(name: string): Refusal {
  const { message, reply } = badPayload(`Unknown field '${name}'`);
  return new Refusal(message, reply, true);
}

/** A path that does not exist, or not for this HTTP method. */
export function unknownCall(method: string, path: string, pathExists: boolean): Refusal {
  const { message, reply } = pathExists
    ? apiError(405, "method.not.allowed", `Method ${method} is not allowed for ${path}`)
    : apiError(404, "not.found", `Unknown path ${path}`);
  return new Refusal(message, reply, true);
}

export function noChat(): Refusal {
  return apiError(404, "chat.not.found", "chat.not.found");
}

/** There is no dialog with the user. */
export function noDialog(): Refusal {
  return apiError(404, "chat.not.found", "dialog.not.found");
}

export function noMessage(mid: string): Refusal {
  return apiError(404, "message.not.found", `Message ${mid} not found`);
}

/** The user has stopped the bot. */
export function suspended(): Refusal {
  return apiError(403, "chat.denied", "error.dialog.suspended");
}

/** The bot is not a member of the chat, or lacks permission there. */
export function denied(message: string): Refusal {
  return apiError(403, "chat.denied", message);
}

/** A file is still being processed. */
export function notReady(): Refusal {
  return apiError(400, "attachment.not.ready", "Key: errors.process.attachment.file.not.processed");
}

export function tooManyRequests(): Refusal {
  return apiError(429, "too.many.requests", "Too many requests");
}
