import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One item of a webhook that the receiver took, as far as the check looks at it. */
export interface Told {
  readonly kind: "messages" | "statuses";
  readonly messageId: string;
  readonly status: string;
  readonly channelId: string | undefined;
  readonly chatId: string | undefined;
  readonly text: string | undefined;
  readonly error: string | undefined;
}

/** How the receiver answers: as it should, or in one of the ways in which receivers fail. */
export type Mood = "well" | "500" | "503" | "hangs" | "slow" | "breaks off";

/** The webhooks' receiver of one account. It keeps each item that it took once, in the order of the first time. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly told: readonly Told[];
  /** Requests, items that came again, and items that came again in another request. */
  readonly counts: { requests: number; repeated: number; repeatedElsewhere: number };
  /** What the interface forbids: the same `webhook-id` with other bytes. */
  readonly violations: readonly string[];
  mood: Mood;
  close(): Promise<void>;
  open(): Promise<void>;
}

const SLOW_MS = 400;

export async function startReceiver(): Promise<Receiver> {
  const told: Told[] = [];
  const violations: string[] = [];
  /** Which request brought an item first. */
  const first = new Map<string, string>();
  const bytes = new Map<string, string>();
  const hanging = new Set<ServerResponse>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    const body = await bodyOf(request);
    if (body === null) return;
    if (body === '{"test":true}') return void response.writeHead(200).end();
    receiver.counts.requests++;
    const id = String(request.headers["webhook-id"]);
    compare(id, body);
    const { mood } = receiver;
    if (mood === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    if (mood === "hangs") return void hanging.add(response);
    if (mood === "500") return void response.writeHead(500).end();
    if (mood === "503") return void response.writeHead(503, { "retry-after": "1" }).end();
    // It took the webhook, and its answer is lost.
    take(id, body);
    if (mood === "breaks off") return void request.socket.destroy();
    response.writeHead(200).end();
  }

  function compare(id: string, body: string): void {
    const hash = createHash("sha256").update(body).digest("base64");
    if ((bytes.get(id) ?? hash) !== hash) violations.push(`webhook ${id} came again with other bytes`);
    bytes.set(id, hash);
  }

  function take(id: string, body: string): void {
    for (const item of itemsOf(body)) {
      const key = [item.kind, item.messageId, item.status, item.text].join(" ");
      const before = first.get(key);
      if (before === undefined) {
        first.set(key, id);
        told.push(item);
      } else {
        receiver.counts.repeated++;
        if (before !== id) receiver.counts.repeatedElsewhere++;
      }
    }
  }

  let server = await listen(0, serve);
  const { port } = server.address() as AddressInfo;
  let isOpen = true;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    port,
    told,
    counts: { requests: 0, repeated: 0, repeatedElsewhere: 0 },
    violations,
    get mood() {
      return mood;
    },
    set mood(next) {
      mood = next;
      for (const response of hanging) response.destroy();
      hanging.clear();
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
    async open() {
      if (isOpen) return;
      server = await listen(port, serve);
      isOpen = true;
    },
  };
  let mood: Mood = "well";
  return receiver;
}

function listen(port: number, serve: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer(serve);
  return new Promise<Server>((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}

/** Null when the request broke off. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  } catch {
    return null;
  }
}

/** As a v3 body has them. */
interface Item {
  readonly messageId: string;
  readonly status: string;
  readonly channelId?: string;
  readonly chatId?: string;
  readonly text?: string;
  readonly error?: { readonly error: string };
}

function itemsOf(body: string): Told[] {
  const lists = JSON.parse(body) as Partial<Record<Told["kind"], readonly Item[]>>;
  return (["messages", "statuses"] as const).flatMap((kind) =>
    (lists[kind] ?? []).map(({ messageId, status, channelId, chatId, text, error }) => ({
      kind,
      messageId,
      status,
      channelId,
      chatId,
      text,
      error: error?.error,
    })),
  );
}
