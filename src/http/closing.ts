import type { Socket } from "node:net";
import type { App } from "./app.ts";

const LOOK_AGAIN_MS = 50;

/**
 * Makes `close` end soon: answers from then on say that their connection is over, and connections that wait for a
 * request are closed. Node closes only those that are idle at that very moment: neither the ones that have never
 * sent anything nor those whose answer was just leaving, which would keep it waiting for a minute.
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
  // The listener must not stay: with one of ours beside it, Node's own at each request make the collector keep what
  // belongs to the request until its next full run.
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
    }, LOOK_AGAIN_MS);
    app.server.once("close", () => clearInterval(timer));
    if (!app.server.listening) clearInterval(timer);
    done();
  });
}
