import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { startOwnServer } from "../test/kit/own-port.ts";

/** An accepted item of a webhook, as far as the checks need it. */
export interface Told {
  readonly kind: "messages" | "statuses";
  readonly messageId: string;
  readonly status: string;
  readonly channelId: string | undefined;
  readonly chatId: string | undefined;
  readonly text: string | undefined;
  readonly error: string | undefined;
}

/** How the receiver responds: correctly, or with one of the usual failures. */
export type Mood = "well" | "500" | "503" | "hangs" | "slow" | "breaks off";

/** The webhook receiver of one account. Keeps each accepted item once, in the order of first arrival. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly told: readonly Told[];
  /** Requests, repeated items, and items repeated in another request. */
  readonly counts: { requests: number; repeated: number; repeatedElsewhere: number };
  /** What the interface forbids: the same `webhook-id` with other bytes. */
  readonly violations: readonly string[];
  mood: Mood;
  /** Refuses connections, until `open` was called as often. */
  close(): Promise<void>;
  open(): Promise<void>;
}

const SLOW_MS = 400;

export async function startReceiver(): Promise<Receiver> {
  const inbox = new Inbox();
  const create = () => createServer((request, response) => inbox.serve(request, response));
  const { port, close, open } = await startOwnServer(create, (server) => server.closeAllConnections());
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    told: inbox.told,
    counts: inbox.counts,
    violations: inbox.violations,
    get mood() {
      return inbox.mood;
    },
    set mood(next) {
      inbox.mood = next;
    },
    close,
    open,
  };
}

/** Responds to webhooks in a mood, and keeps what was accepted. */
class Inbox {
  readonly told: Told[] = [];
  readonly violations: string[] = [];
  readonly counts = { requests: 0, repeated: 0, repeatedElsewhere: 0 };
  /** The request in which an item arrived first. */
  readonly #first = new Map<string, string>();
  readonly #hashes = new Map<string, string>();
  readonly #hanging = new Set<ServerResponse>();
  #mood: Mood = "well";

  get mood(): Mood {
    return this.#mood;
  }

  set mood(next: Mood) {
    this.#mood = next;
    for (const response of this.#hanging) response.destroy();
    this.#hanging.clear();
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    const body = await bodyOf(request);
    if (body === null) return;
    if (body === '{"test":true}') return void response.writeHead(200).end();
    this.counts.requests++;
    const id = String(request.headers["webhook-id"]);
    this.#compare(id, body);
    const mood = this.#mood;
    if (mood === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    if (mood === "hangs") return void this.#hanging.add(response);
    if (mood === "500") return void response.writeHead(500).end();
    if (mood === "503") return void response.writeHead(503, { "retry-after": "1" }).end();
    // It accepted the webhook, but its response is lost.
    this.#take(id, body);
    if (mood === "breaks off") return void request.socket.destroy();
    response.writeHead(200).end();
  }

  #compare(id: string, body: string): void {
    const hash = createHash("sha256").update(body).digest("base64");
    if ((this.#hashes.get(id) ?? hash) !== hash)
      this.violations.push(`webhook ${id} came again with other bytes`);
    this.#hashes.set(id, hash);
  }

  #take(id: string, body: string): void {
    for (const item of itemsOf(body)) {
      const key = [item.kind, item.messageId, item.status, item.text].join(" ");
      const before = this.#first.get(key);
      if (before === undefined) {
        this.#first.set(key, id);
        this.told.push(item);
      } else {
        this.counts.repeated++;
        if (before !== id) this.counts.repeatedElsewhere++;
      }
    }
  }
}

/** Null if the request was aborted. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  } catch {
    return null;
  }
}

/** Items in the format of v3. */
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
