import type { Exchange } from "../http/exchange.ts";
import { type Admin, list, number } from "./admin.ts";
import { frameOf } from "./frames.ts";
import type { Phone } from "./phone.ts";

const SHOWN_AT_FIRST = 60;
const WAIT_MS = 20_000;
const PAUSE_AFTER_FAILURE_MS = 1_000;

/** Reports actions through a messenger's admin API. */
export class Changes {
  readonly #listeners = new Set<(messenger: string) => void>();

  tell(messenger: string): void {
    for (const listener of this.#listeners) listener(messenger);
  }

  on(listener: (messenger: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/**
 * Server-sent events of one messenger: `frames` with the traffic, starting with the last ones, and `changed` when
 * conversations have to be reloaded. `people`: whose inboxes are watched too.
 */
export async function serveLive(
  exchange: Exchange,
  setup: {
    readonly messenger: string;
    readonly phone: Phone;
    readonly admin: Admin;
    readonly changes: Changes;
    readonly people: readonly string[];
  },
): Promise<void> {
  const { response } = exchange;
  const { messenger, phone, admin, changes } = setup;
  const gone = new AbortController();
  const off = changes.on((name) => {
    if (name === messenger) send("changed", {});
  });
  response.on("close", () => {
    off();
    gone.abort();
  });
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  const send = (event: string, data: unknown): void => {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const watch = { admin, signal: gone.signal };
  const inboxes = setup.people.flatMap((person) => phone.inbox?.(person) ?? []);
  await Promise.all([
    ...phone.logs.map((log) =>
      follow(`/${log.name}`, watch, (entries, isFirst) => {
        send("frames", { log: log.name, items: entries.map((entry) => frameOf(log, entry)) });
        if (!isFirst) send("changed", {});
      }),
    ),
    ...inboxes.map((path) => follow(path, watch, () => send("changed", {}))),
  ]);
  response.end();
}

type Entries = ReturnType<typeof list>;

/** Passes on the last entries of a list, and then each new one, until the signal aborts. */
async function follow(
  path: string,
  { admin, signal }: { readonly admin: Admin; readonly signal: AbortSignal },
  take: (entries: Entries, isFirst: boolean) => void,
): Promise<void> {
  for (let after = -1; !signal.aborted; ) {
    const query =
      after < 0 ? `limit=${SHOWN_AT_FIRST}` : `after=${after}&count=1&timeout_ms=${WAIT_MS}&limit=200`;
    try {
      const page = await admin.ask([`GET ${path}?${query}`], signal);
      const entries = list(page["items"]);
      if (entries.length > 0 || after < 0) take(entries, after < 0);
      after = number(page["last_seq"]);
    } catch {
      await pause(signal);
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, PAUSE_AFTER_FAILURE_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
