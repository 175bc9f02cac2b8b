import { setTimeout as sleep } from "node:timers/promises";

export interface StreamEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** An open stream of news, as a page reads it. */
export interface TestStream {
  readonly events: readonly StreamEvent[];
  /** Resolves with the first event that fits, once it is there. */
  next(fits: (event: StreamEvent) => boolean): Promise<StreamEvent>;
  /** Resolves when the service has ended it. */
  readonly ended: Promise<void>;
  close(): void;
}

const PATIENCE_MS = 20_000;

/** Opens `/app/stream`; resolves once it is ready. Throws with the status where it does not open. */
export async function openStream(
  base: { readonly url: string },
  token: string,
  lastEventId?: string,
): Promise<TestStream> {
  const abort = new AbortController();
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
  };
  const answer = await fetch(`${base.url}/app/stream`, { headers, signal: abort.signal });
  if (answer.status !== 200 || answer.body === null) throw new Error(`the stream answers ${answer.status}`);
  const events: StreamEvent[] = [];
  const waiting = new Set<() => void>();
  const ended = read(answer.body, (event) => {
    events.push(event);
    for (const look of waiting) look();
  });
  const stream: TestStream = {
    events,
    ended,
    close: () => abort.abort(),
    next(fits) {
      const { promise, resolve } = Promise.withResolvers<StreamEvent>();
      const look = (): void => {
        const found = events.find(fits);
        if (found !== undefined) resolve(found);
      };
      waiting.add(look);
      look();
      const late = sleep(PATIENCE_MS).then(() => {
        const told = events.map(
          ({ id, type, data }) => `${id} ${type} ${JSON.stringify(data).slice(0, 100)}`,
        );
        throw new Error(`not told; told were ${told.length}: ${told.slice(-5).join(", ")}`);
      });
      return Promise.race([promise, late]).finally(() => waiting.delete(look));
    },
  };
  await stream.next(({ type }) => type === "ready");
  return stream;
}

async function read(body: ReadableStream<Uint8Array>, take: (event: StreamEvent) => void): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const fields = Object.fromEntries(
          block
            .split("\n")
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
        );
        if (fields["event"] !== undefined)
          take({ id: fields["id"] ?? "", type: fields["event"], data: JSON.parse(fields["data"] ?? "{}") });
      }
    }
  } catch {
    // The page was closed, or the connection ended.
  }
}
