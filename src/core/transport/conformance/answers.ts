import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A messenger that answers one kind of request with JSON, and no other at all. */
export interface AnsweringServer {
  readonly url: string;
  /** What is answered from now on, with status 200. */
  answer(body: unknown): void;
  close(): Promise<void>;
}

export async function startAnsweringServer(path: RegExp): Promise<AnsweringServer> {
  let text = "";
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      if (path.test(request.url ?? "")) response.setHeader("content-type", "application/json").end(text);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answer: (body) => {
      text = JSON.stringify(body) ?? "";
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
