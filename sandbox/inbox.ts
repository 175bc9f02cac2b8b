import type { IncomingHttpHeaders } from "node:http";
import { answerJson, type Exchange, readBody } from "./http/exchange.ts";
import { AdminError, type Fields } from "./http/fields.ts";
import type { AdminCall, AdminRoute } from "./http/route.ts";
import { Journal, type Numbered } from "./journal.ts";
import { journalQuery } from "./journal-query.ts";

const keptItems = 1000;
const maxBodyBytes = 16 * 1024 * 1024;

/** A received webhook. `body` is parsed if it is JSON, otherwise the text. */
export interface InboxItem {
  /** The part after `/inbox/`; empty for `/inbox` itself. */
  readonly name: string;
  readonly received_at: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** The inbox's response status. */
  readonly status: number;
}

interface Behaviour {
  status: number;
  delayMs: number;
  failNext: number;
  failWhenContains: string | undefined;
}

const friendly: Behaviour = { status: 200, delayMs: 0, failNext: 0, failWhenContains: undefined };

/** A receiver of webhooks, for tests and demonstrations: accepts and stores everything, and can be told to fail. */
export class Inbox {
  readonly #items = new Journal<InboxItem>(keptItems);
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #onItem: (item: Numbered<InboxItem>) => void;

  constructor(onItem: (item: Numbered<InboxItem>) => void) {
    this.#onItem = onItem;
  }

  /** `POST` takes a webhook. `path` is what follows `/inbox`. */
  async receive(exchange: Exchange, path: string): Promise<void> {
    const name = nameOf(path);
    const text = (await readBody(exchange.request, maxBodyBytes)).toString();
    const behaviour = this.#behaviours.get(name) ?? friendly;
    const status = chooseStatus(behaviour, text);
    if (behaviour.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, behaviour.delayMs));
    const item = this.#items.append({
      name,
      received_at: new Date().toISOString(),
      headers: exchange.request.headers,
      body: parseBody(text),
      status,
    });
    this.#onItem(item);
    answerJson(exchange, status, status < 300 ? { ok: true } : { error: "as configured" });
  }

  /** The routes below `/inbox`. */
  readonly routes: readonly AdminRoute[] = [
    ["GET", "/", (call) => this.#list(call, undefined)],
    ["GET", "/{name}", (call) => this.#list(call, call.params.needText("name"))],
    ["DELETE", "/", () => this.#items.clear()],
  ];

  /** The routes below `/admin/inbox`. */
  readonly admin: readonly AdminRoute[] = [
    ["POST", "/", (call) => this.#behave(call.body)],
    ["GET", "/", () => Object.fromEntries([...this.#behaviours].map(([name, b]) => [name, describe(b)]))],
    ["DELETE", "/", () => this.#behaviours.clear()],
  ];

  close(): void {
    this.#items.release();
  }

  #list(call: AdminCall, name: string | undefined): unknown {
    return this.#items.read(
      journalQuery(call, name === undefined ? undefined : (item: InboxItem) => item.name === name),
    );
  }

  #behave(body: Fields): unknown {
    const status = body.integer("status") ?? friendly.status;
    if (status < 200 || status > 599) throw new AdminError(400, "invalid_field", "status must be 200 to 599");
    const behaviour = {
      status,
      delayMs: body.integer("delay_ms") ?? 0,
      failNext: body.integer("fail_next") ?? 0,
      failWhenContains: body.text("fail_when_contains"),
    };
    this.#behaviours.set(body.text("name") ?? "", behaviour);
    return describe(behaviour);
  }
}

/**
 * With a condition for failing (`fail_next`, `fail_when_contains`), the configured status applies to failures only.
 */
function chooseStatus(behaviour: Behaviour, text: string): number {
  const failure = behaviour.status >= 300 ? behaviour.status : 500;
  if (behaviour.failNext > 0) {
    behaviour.failNext--;
    if (behaviour.failNext === 0 && behaviour.failWhenContains === undefined) behaviour.status = 200;
    return failure;
  }
  if (behaviour.failWhenContains === undefined) return behaviour.status;
  return text.includes(behaviour.failWhenContains) ? failure : 200;
}

function describe(behaviour: Behaviour): unknown {
  return {
    status: behaviour.status,
    delay_ms: behaviour.delayMs,
    fail_next: behaviour.failNext,
    fail_when_contains: behaviour.failWhenContains ?? null,
  };
}

function nameOf(path: string): string {
  return decodeURIComponent(path.replace(/^\//, ""));
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
