import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Faults of a messenger. */
export const FAULTS = [
  "refused connection",
  "cut before the request",
  "cut after the request",
  "no answer",
  "garbage",
  "empty answer",
  "500",
  "502 page",
  "flood",
] as const;
export type Fault = (typeof FAULTS)[number];

/** The messenger's own response to too many requests. */
export interface FloodAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface FaultyServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A messenger with one fault in all its responses. */
export async function startFaultyServer(
  fault: Fault,
  flood: FloodAnswer = { status: 429, body: "" },
): Promise<FaultyServer> {
  const server = createServer((request, response) => {
    request.resume().once("end", () => misbehave(fault, response, flood));
  });
  if (fault === "cut before the request") server.on("connection", (socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  if (fault === "refused connection") await stop(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => (server.listening ? stop(server) : Promise.resolve()),
  };
}

function misbehave(fault: Fault, response: ServerResponse, flood: FloodAnswer): void {
  switch (fault) {
    case "refused connection":
    case "cut before the request":
    case "no answer":
      return;
    case "cut after the request":
      response.socket?.destroy();
      return;
    case "garbage":
      response.writeHead(200, { "content-type": "application/json" }).end('{"ok":tr');
      return;
    case "empty answer":
      response.writeHead(200).end();
      return;
    case "500":
      response.writeHead(500, { "content-type": "application/json" }).end("{}");
      return;
    case "502 page":
      response.writeHead(502, { "content-type": "text/html" }).end("<html><h1>Bad Gateway</h1></html>");
      return;
    case "flood":
      response.writeHead(flood.status, flood.headers).end(flood.body);
  }
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
