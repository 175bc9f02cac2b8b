import type { Exchange } from "./exchange.ts";
import { type Fields, invalid } from "./fields.ts";

/** Faults of any HTTP call. The effects combine: a call may hang first and then lose its connection. */
export interface HttpEffect {
  readonly hangMs?: number;
  /** Closes the connection without a response, before or after the call takes effect. */
  readonly drop?: "before" | "after";
  /** A response that is not the platform's, as from a proxy in front of it. */
  readonly raw?: { readonly status: number; readonly body: string };
}

/** A fault closes the connection without a response. */
export class DropLine extends Error {}

/** A fault replaces the platform's response. */
class RawAnswer extends Error {
  readonly raw: NonNullable<HttpEffect["raw"]>;
  constructor(raw: NonNullable<HttpEffect["raw"]>) {
    super("raw answer");
    this.raw = raw;
  }
}

/** `{hang_ms?, drop?, http_status?, http_body?}` of an admin request. */
export function readHttpEffect(body: Fields): HttpEffect {
  const hangMs = body.integer("hang_ms");
  const drop = body.text("drop");
  const status = body.integer("http_status");
  if (drop !== undefined && drop !== "before" && drop !== "after")
    throw invalid("drop", '"before" or "after"');
  return {
    ...(hangMs !== undefined && { hangMs }),
    ...(drop !== undefined && { drop }),
    ...(status !== undefined && {
      raw: { status, body: body.text("http_body") ?? "<html>Bad Gateway</html>" },
    }),
  };
}

/**
 * Applied before the call takes effect: hangs, at most until the signal fires, and then throws the error that ends
 * the call.
 */
export async function applyBefore({ hangMs, drop, raw }: HttpEffect, signal: AbortSignal): Promise<void> {
  if (hangMs !== undefined) await pause(hangMs, signal);
  if (drop === "before") throw new DropLine();
  if (raw) throw new RawAnswer(raw);
}

/** Ends a call that a fault interrupted, or whose connection is closed; false: the error is another one. */
export function answerFault({ request, response }: Exchange, error: unknown): boolean {
  if (error instanceof DropLine || response.destroyed) request.socket.destroy();
  else if (error instanceof RawAnswer)
    response.writeHead(error.raw.status, { "Content-Type": "text/html" }).end(error.raw.body);
  else return false;
  return true;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
