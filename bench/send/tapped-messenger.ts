import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy of the emulated messenger that records when each message arrives. */
export interface TappedMessenger {
  readonly url: string;
  /** Called with the text and time (`performance.now()`) of each message before it reaches the messenger. */
  onSend: (text: string, at: number) => void;
  /** Requests with these paths are never answered. */
  hangs: (path: string) => boolean;
  close(): void;
}

export async function tapMessenger(url: string): Promise<TappedMessenger> {
  const tapped = { onSend: (_text: string, _at: number): void => undefined, hangs: (_path: string) => false };
  const server = createServer((asked, answer) => {
    const chunks: Buffer[] = [];
    asked.on("data", (chunk: Buffer) => chunks.push(chunk));
    asked.on("end", () => {
      const at = performance.now();
      const body = Buffer.concat(chunks);
      const isSend = asked.url?.endsWith("/sendMessage") === true;
      if (isSend) tapped.onSend((JSON.parse(body.toString()) as { text: string }).text, at);
      if (!tapped.hangs(asked.url ?? "")) pass(new URL(asked.url ?? "", url), asked, body, answer);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  // The sandbox serves each messenger under a separate path.
  const path = new URL(url).pathname.replace(/\/$/, "");
  return Object.assign(tapped, {
    url: `http://127.0.0.1:${port}${path}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
}

function pass(to: URL, { method, headers }: IncomingMessage, body: Buffer, answer: ServerResponse): void {
  // A new connection each time: the other side may be about to close a persistent one.
  const options = { method, headers: { ...headers, host: to.host }, agent: false };
  const passed = request(to, options, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  passed.on("error", () => answer.destroy());
  answer.on("close", () => passed.destroy());
  passed.end(body);
}
