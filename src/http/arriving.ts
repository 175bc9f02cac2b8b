import type { IncomingMessage } from "node:http";
import type { App } from "./app.ts";

/** What a node holds at most of bodies that have not arrived completely. */
const ROOM_BYTES = 64 * 1024 * 1024;
/** Bodies that say they are no larger are not counted: they are nearly all. */
const SMALL_BYTES = 16 * 1024;

/**
 * Keeps slow bodies from filling the memory, which anybody could send: when there is no more room for what is on its way,
 * the connection that has been sending for longest is ended. An honest body is here within moments.
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
      if (held <= ROOM_BYTES) return;
      forget(request);
      request.destroy(new Error("No room for a body that takes so long"));
    }
  }

  app.addHook("preParsing", ({ raw, routeOptions }, _reply, payload, done) => {
    // A listener here would make the body flow before the route reads it.
    if (!isSmall(raw) && routeOptions.config.isStreamed !== true) {
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
