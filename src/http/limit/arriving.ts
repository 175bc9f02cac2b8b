import type { IncomingMessage } from "node:http";
import type { App } from "../app.ts";

/** Maximum memory of a node for incomplete bodies. */
const MAX_ARRIVING_BYTES = 64 * 1024 * 1024;
/** Bodies declared no larger are not counted; nearly all are this small. */
const SMALL_BYTES = 16 * 1024;

/**
 * Keeps slow bodies, which anyone can send, from exhausting the memory: beyond the limit, the connection that has
 * been sending longest is closed. A regular body arrives within moments.
 */
export function boundArrivingBodies(app: App): void {
  const arriving = new Map<IncomingMessage, number>();
  let held = 0;

  function forget(request: IncomingMessage): void {
    held -= arriving.get(request) ?? 0;
    arriving.delete(request);
  }

  function makeRoom(): void {
    for (const request of arriving.keys()) {
      if (held <= MAX_ARRIVING_BYTES) return;
      forget(request);
      request.destroy(new Error("A body arrived too slowly while memory was short"));
    }
  }

  app.addHook("preParsing", ({ raw, routeOptions }, _reply, payload, done) => {
    // A listener here would start the flow of the body before the route reads it. A client that is already gone
    // sends nothing, and its `close` is not emitted again.
    if (!isSmall(raw) && routeOptions.config.isStreamed !== true && !raw.destroyed) {
      arriving.set(raw, 0);
      raw.on("data", (chunk: Buffer) => {
        const size = arriving.get(raw);
        if (size === undefined) return;
        arriving.set(raw, size + chunk.length);
        held += chunk.length;
        makeRoom();
      });
      raw.once("end", () => forget(raw));
      raw.once("close", () => forget(raw));
    }
    done(null, payload);
  });
}

function isSmall({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) <= SMALL_BYTES;
}
