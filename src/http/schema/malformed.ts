import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";

const STATUS: Readonly<Record<string, readonly [status: number, phrase: string, description: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large", "The request's headers are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "The request did not arrive in time"],
};
const MALFORMED = [400, "Bad Request", "The request is not valid HTTP"] as const;

/** Responds to invalid HTTP and closes the connection: there is no request for a handler. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, description] = STATUS[error.code ?? ""] ?? MALFORMED;
  const body = JSON.stringify({ error: "VALIDATION_ERROR", description });
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${newRequestId()}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** 32 hexadecimal digits. */
export function newRequestId(): string {
  return randomUUID().replaceAll("-", "");
}
