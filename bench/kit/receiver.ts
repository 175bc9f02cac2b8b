import { createServer } from "node:http";

/** One received item of a webhook. `at`: by `performance.now()`. */
export interface Arrival {
  readonly key: "messages" | "statuses";
  readonly messageId: string;
  readonly chatId: string | undefined;
  readonly text: string | undefined;
  readonly status: string;
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  /** Called for each item. */
  onArrival: (arrival: Arrival) => void;
  /** Called for each request, with its body as text. */
  onRequest: (body: string) => void;
  close(): void;
}

/** A receiver that accepts everything, after `delayMs`. */
export async function startReceiver(options: { readonly delayMs?: number } = {}): Promise<Receiver> {
  const receiver = {
    onArrival: (_arrival: Arrival): void => undefined,
    onRequest: (_body: string): void => undefined,
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const at = performance.now();
      const body = Buffer.concat(chunks).toString();
      receiver.onRequest(body);
      for (const arrival of arrivals(JSON.parse(body), at)) receiver.onArrival(arrival);
      const answer = (): unknown => response.end();
      if (options.delayMs === undefined) answer();
      else setTimeout(answer, options.delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
}

type Item = {
  readonly messageId: string;
  readonly chatId?: string;
  readonly text?: string;
  readonly status: string;
};

function* arrivals(body: unknown, at: number): Generator<Arrival> {
  const lists = body as { readonly messages?: readonly Item[]; readonly statuses?: readonly Item[] };
  for (const { messageId, chatId, text, status } of lists.messages ?? [])
    yield { key: "messages", messageId, chatId, text, status, at };
  for (const { messageId, status } of lists.statuses ?? [])
    yield { key: "statuses", messageId, chatId: undefined, text: undefined, status, at };
}
