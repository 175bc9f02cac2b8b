import type { Socket } from "node:net";
import type { App } from "./app.ts";

const POLL_INTERVAL_MS = 50;

/**
 * Makes `close` end soon: from then on, responses close their connection, and idle connections are closed. Node
 * closes only connections that are idle at that moment: neither those that have never sent anything nor those whose
 * response is being sent, which would delay it by a minute.
 */
export function closeGracefully(app: App): void {
  const silent = new Set<Socket>();
  let closing = false;

  function forget(this: Socket): void {
    silent.delete(this);
  }
  app.server.on("connection", (socket) => {
    silent.add(socket);
    socket.once("close", forget);
  });
  // The listener must be removed: if it stayed, Node's own listener at each request would keep the request's objects
  // alive until the next full collection.
  app.addHook("onRequest", ({ raw: { socket } }, _reply, done) => {
    if (silent.delete(socket)) socket.removeListener("close", forget);
    done();
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (closing) reply.header("connection", "close");
    done(null, payload);
  });
  app.addHook("preClose", (done) => {
    closing = true;
    const timer = setInterval(() => {
      for (const socket of silent) if (socket.bytesRead === 0) socket.destroy();
      app.server.closeIdleConnections();
    }, POLL_INTERVAL_MS);
    app.server.once("close", () => clearInterval(timer));
    if (!app.server.listening) clearInterval(timer);
    done();
  });
}
