import type { Socket } from "node:net";
import type { App } from "./app.ts";

const LOOK_AGAIN_MS = 50;

/**
 * Makes `close` end soon: answers from then on say that their connection is over, and connections that wait for a
 * request are closed. Node closes only those that are idle at that very moment: neither the ones that have never
 * sent anything nor those whose answer was just leaving, which would keep it waiting for a minute.
 */
export function closeGracefully(app: App): void {
  const sockets = new Set<Socket>();
  let closing = false;

  app.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (closing) reply.header("connection", "close");
    done(null, payload);
  });
  app.addHook("preClose", (done) => {
    closing = true;
    const timer = setInterval(() => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      app.server.closeIdleConnections();
    }, LOOK_AGAIN_MS);
    app.server.once("close", () => clearInterval(timer));
    if (!app.server.listening) clearInterval(timer);
    done();
  });
}
