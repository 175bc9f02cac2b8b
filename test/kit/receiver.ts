import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { vi } from "vitest";
import { startOwnServer } from "./own-port.ts";

/** One item of a webhook, as far as tests look at it. */
export interface Item {
  readonly kind: "messages" | "statuses";
  readonly messageId: string;
  readonly status: string;
  readonly channelId?: string;
  readonly chatId?: string;
  readonly text?: string;
  readonly error?: { readonly error: string };
}

/** One request to the receiver. */
export interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly items: readonly Item[];
  /** When it had arrived, on the monotonic clock. */
  readonly atMs: number;
  /** As answered; null while it is not. */
  status: number | null;
}

type Responder = (post: Post, response: ServerResponse) => unknown;

/** A webhook receiver that stores the requests, and responds as configured. */
export interface Receiver {
  readonly url: string;
  /** Every request but the test of an address, in order of arrival. */
  readonly posts: readonly Post[];
  /** Items of the requests that were answered with 2xx, in order. */
  taken(): Item[];
  /** Null: 200 at once. The test of an address goes by `takesTests`. */
  respond: Responder | null;
  takesTests: boolean;
  /** Resolves when the posts satisfy the condition. */
  until(condition: (posts: readonly Post[]) => boolean, timeoutMs?: number): Promise<void>;
  /** Refuses connections. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const posts: Post[] = [];
  const takenItems: Item[] = [];
  const { port, close, open } = await startOwnServer(create, (server) => server.closeAllConnections());

  function create(): Server {
    return createServer(async (request, response) => {
      response.on("error", () => undefined);
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) chunks.push(chunk);
      } catch {
        return;
      }
      const body = Buffer.concat(chunks).toString();
      if (body === '{"test":true}') return void response.writeHead(receiver.takesTests ? 200 : 500).end();
      const { headers, url: path = "" } = request;
      take({ path, headers, body, items: itemsOf(body), atMs: performance.now(), status: null }, response);
    });
  }

  function take(post: Post, response: ServerResponse): void {
    posts.push(post);
    const writeHead = response.writeHead.bind(response);
    response.writeHead = (status: number, ...rest: never[]) => {
      post.status = status;
      if (status >= 200 && status < 300) takenItems.push(...post.items);
      return writeHead(status, ...rest);
    };
    if (receiver.respond === null) response.writeHead(200).end();
    else receiver.respond(post, response);
  }

  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    posts,
    taken: () => takenItems,
    respond: null,
    takesTests: true,
    until: (condition, timeout = 30_000) =>
      vi.waitUntil(() => condition(posts), { timeout, interval: 10 }).then(() => undefined),
    down: close,
    up: open,
    stop: close,
  };
  return receiver;
}

/** Items of a v3 body; what is neither message nor status has none. */
function itemsOf(body: string): Item[] {
  const lists = JSON.parse(body) as Partial<Record<Item["kind"], Omit<Item, "kind">[]>>;
  return (["messages", "statuses"] as const).flatMap((kind) =>
    (lists[kind] ?? []).map((item) => ({ ...item, kind })),
  );
}
