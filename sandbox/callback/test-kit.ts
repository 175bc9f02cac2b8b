import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { Json } from "../test-kit.ts";

/** A received callback. */
export interface Received {
  readonly raw: string;
  readonly body: Json;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
}

/** A receiver of callbacks, which accepts everything by default. */
export interface Receiver {
  readonly url: string;
  readonly items: readonly Received[];
  /** Responds to the next callbacks; 200 by default. */
  answer: (received: Received, response: ServerResponse) => void;
  /** Resolves when this many callbacks have arrived. */
  reach(count: number): Promise<void>;
  close(): void;
}

/** Responds to requests that are not callbacks, such as a verification of the address; false if it is a callback. */
export type Diversion = (received: Received, method: string, response: ServerResponse) => boolean;

/** Listens on a free port. Diverted requests are not counted. */
export async function startReceiver(divert: Diversion = () => false): Promise<Receiver> {
  const items: Received[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    const received = {
      raw,
      body: JSON.parse(raw || "{}") as Json,
      headers: incoming.headers,
      path: incoming.url ?? "",
    };
    if (divert(received, incoming.method ?? "", response)) return;
    items.push(received);
    receiver.answer(received, response);
    for (const { count, resolve } of waiting) if (items.length >= count) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const receiver: Receiver = {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/hook`,
    items,
    answer: (_received, response) => response.end("OK"),
    reach: (count) => {
      if (items.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
