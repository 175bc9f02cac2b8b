import type { IncomingMessage, ServerResponse } from "node:http";

/** A pending HTTP request with its parsed address. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** The path without the query, beginning with `/`. */
  readonly path: string;
  /** The part after `?`, still encoded; empty if there is none. */
  readonly query: string;
}

/** Parses the address by hand: `new URL` would cost more than the rest of a small call. */
export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  return {
    request,
    response,
    method: request.method ?? "GET",
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? "" : url.slice(mark + 1),
  };
}

/** A request body grew over the limit given to `readBody`. */
export class BodyTooLarge extends Error {}

/** Reads the whole body, at most `maxBytes`; rejects with `BodyTooLarge` beyond that. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(new BodyTooLarge(`the body is larger than ${maxBytes} bytes`));
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the client went away")));
  });
}

/** Responds with JSON text. No effect if the connection is closed. */
export function answerText(exchange: Exchange, status: number, json: string): void {
  const { response } = exchange;
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(json),
  });
  response.end(json);
}

/** Responds with `value` as JSON. */
export function answerJson(exchange: Exchange, status: number, value: unknown): void {
  answerText(exchange, status, JSON.stringify(value));
}
